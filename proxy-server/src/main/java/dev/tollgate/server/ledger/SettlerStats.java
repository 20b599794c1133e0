package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * Statistics of the settler for metrics and the node's reports: its backlog, ages and counts.
 *
 * @param backlog number of charges that are durable and not settled
 * @param oldest lower bound of the time that the oldest of them has waited; if they exceed one
 *     batch, the time since its request began
 * @param unsettledAge time since the begin of the oldest request in the batch that is being sent:
 *     the store may lack charges of that age
 * @param lastFlush duration of the last batch, with all its retries
 * @param quarantined number of charges of this epoch that were put into quarantine
 * @param overruns number of charges of this epoch above their reservation
 * @param overrunMicro total excess of these charges
 */
public record SettlerStats(
    long backlog,
    Duration oldest,
    Duration unsettledAge,
    Duration lastFlush,
    long quarantined,
    long overruns,
    long overrunMicro) {}
