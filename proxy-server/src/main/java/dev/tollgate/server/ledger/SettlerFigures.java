package dev.tollgate.server.ledger;

import java.time.Duration;

/**
 * How the settler does.
 *
 * @param backlog charges that are durable and not booked
 * @param oldest for how long at least the oldest of them has waited
 * @param lastFlush what the last batch took, with all its repetitions
 * @param quarantined charges of this life that could not be booked
 */
public record SettlerFigures(long backlog, Duration oldest, Duration lastFlush, long quarantined) {}
