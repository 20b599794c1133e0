package dev.tollgate.core.exchange.frame;

/**
 * Requests of all loops that continue after their clients disconnected.
 *
 * @param drains bounds the streams that are drained for their usage
 * @param detached lets a node that stops wait for the others
 */
public record ClientlessRequests(DrainQuota drains, DetachedRequests detached) {}
