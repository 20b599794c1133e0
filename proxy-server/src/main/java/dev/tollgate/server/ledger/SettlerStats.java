package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * How the settler does.
 *
 * @param backlog charges that are durable and not booked
 * @param oldest for how long at least the oldest of them has waited; where more wait than one batch
 *     takes, since its request began
 * @param unsettledAge since the oldest request of those that are being sent began: the books may
 *     lack charges of so long ago
 * @param lastFlush what the last batch took, with all its repetitions
 * @param quarantined charges of this life that could not be booked
 * @param overruns charges of this life that came to more than was reserved for them
 * @param overrunMicro by how much, in all
 */
public record SettlerStats(
    long backlog,
    Duration oldest,
    Duration unsettledAge,
    Duration lastFlush,
    long quarantined,
    long overruns,
    long overrunMicro) {}
