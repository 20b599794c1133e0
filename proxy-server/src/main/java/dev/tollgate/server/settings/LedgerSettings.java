package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Shorthand;
import java.time.Duration;

/**
 * Configuration section {@code ledger}: the node's journal of charges, and their settlement in the
 * store.
 */
public record LedgerSettings(
    @Key(about = "when a journal record counts as written", initial = "fsync")
        Durability durability,
    @Key(about = "longest time between two writes to the store", initial = "50ms", min = "1ms")
        Duration flushInterval,
    @Key(about = "charges per write to the store") Batch batch,
    @Key(about = "retention of settled journal segments") Retention journalRetention,
    @Key(about = "time for which leases bridge an outage of the store", initial = "60s", min = "0s")
        Duration outageGrace,
    @Key(about = "lifetime of a lease", initial = "10m", min = "1s") Duration leaseTtl,
    @Key(about = "retention in the store, by day") DayRetention retention,
    @Key(about = "time between two audits of the ledger", initial = "1h", min = "1s")
        Duration auditInterval) {

  /** Kind of crash that a charge survives once the client has its reply. */
  public enum Durability {
    /** A crash of the machine: the record is synced to disk. */
    FSYNC,
    /** A crash of the process: the record is written to the operating system. */
    PROCESS
  }

  /** Section {@code ledger.batch}: number of charges settled by one write to the store. */
  public record Batch(
      @Key(about = "charges that trigger a write", initial = "500", min = "1") int min,
      @Key(about = "limit of charges in one write", initial = "5000", min = "1") int max) {}

  /**
   * Section {@code ledger.retention}: retention of charges and request log in the store, in whole
   * days.
   */
  public record DayRetention(
      @Key(about = "charges; their sums are never deleted", initial = "90d", min = "8d")
          Duration charges,
      @Key(about = "the request log") LogRetention requests) {}

  /** Section {@code ledger.retention.requests}: retention of the request log in the store. */
  @Shorthand("time")
  public record LogRetention(
      @Key(about = "time", initial = "35d", min = "8d") Duration time,
      @Key(
              name = "size",
              about = "size limit with indexes, above which the oldest day is dropped; 0: none",
              initial = "10GiB",
              bytes = true)
          long bytesMax) {}

  /** Section {@code ledger.journal_retention}: retention of settled journal segments on disk. */
  public record Retention(
      @Key(about = "time", initial = "24h", min = "0s") Duration time,
      @Key(name = "size", about = "size limit", initial = "1GiB", bytes = true) long bytesMax) {}
}
