package dev.tollgate.server.ledger;

import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;

/**
 * Options of the ledger journal, from the configuration or a test.
 *
 * @param segmentBytes size of every new segment file, a multiple of {@link Frames#SECTOR_BYTES}
 * @param queuedMax bound of records that wait for the disk; above it no request is admitted
 * @param unsettledMax bound of charges in memory for the settler; further ones are read back from
 *     the disk
 */
public record JournalOptions(
    Durability durability, int segmentBytes, int queuedMax, int unsettledMax, Retention retention) {
  private static final int SEGMENT_BYTES = 16 * 1024 * 1024;

  /** Usable space on its disk below which the journal admits no requests. */
  public static final long RESERVE_BYTES = (long) SegmentSupply.RESERVE_SEGMENTS * SEGMENT_BYTES;

  private static final int QUEUED_MAX = 20_000;
  private static final int UNSETTLED_MAX = 10_000;

  public static JournalOptions of(LedgerSettings settings) {
    return new JournalOptions(
        settings.durability(),
        SEGMENT_BYTES,
        QUEUED_MAX,
        UNSETTLED_MAX,
        settings.journalRetention());
  }
}
