package dev.tollgate.core.exchange.frame;

/**
 * Process-wide counts of requests that continue after their clients disconnected.
 *
 * @param drains bounds the streams that are drained for their usage
 * @param detached count of the others, for which a stopping node waits
 */
public record ClientlessRequests(DrainQuota drains, DetachedRequests detached) {}
