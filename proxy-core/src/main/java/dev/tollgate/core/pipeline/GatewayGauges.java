package dev.tollgate.core.pipeline;

import java.util.Map;

/**
 * What the metrics say of the client side, read from any thread.
 *
 * @param open connections open now
 * @param accepted connections let in since the start
 * @param refused connections closed at once because there were too many
 * @param streamsReset streams ended because their clients took nothing while memory ran out
 * @param bodiesRead refused bodies that are read to their end now
 * @param bodiesUnread refused bodies so far that were not, because too many were
 * @param byPhase open connections by what they wait for, such as {@code idle} or {@code work}
 */
public record GatewayGauges(
    int open,
    long accepted,
    long refused,
    long streamsReset,
    int bodiesRead,
    long bodiesUnread,
    Map<String, Integer> byPhase) {}
