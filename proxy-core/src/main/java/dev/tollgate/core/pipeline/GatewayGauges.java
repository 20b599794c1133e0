package dev.tollgate.core.pipeline;

import java.util.Map;

/**
 * Snapshot of the counts of client connections, for metrics; read from any thread.
 *
 * @param open open connections
 * @param accepted accepted connections so far
 * @param refused connections so far that were closed at once because of the limit
 * @param unproven open connections that have not proved a key, without those of trusted proxies
 * @param evictedAtNodeLimit of these, connections so far that were closed for a new one because of
 *     the limit of all connections
 * @param evictedAtAddressLimit the same because of the limit of their address
 * @param streamsReset streams so far that were reset because their clients received nothing while
 *     memory ran out
 * @param bodiesRead refused bodies that are being read to their end
 * @param bodiesUnread refused bodies so far that were not, because of the limit
 * @param byPhase open connections by phase, such as {@code idle} or {@code work}
 */
public record GatewayGauges(
    int open,
    long accepted,
    long refused,
    int unproven,
    long evictedAtNodeLimit,
    long evictedAtAddressLimit,
    long streamsReset,
    int bodiesRead,
    long bodiesUnread,
    Map<String, Integer> byPhase) {}
