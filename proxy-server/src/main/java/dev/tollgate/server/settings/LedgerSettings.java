package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;

/** Section {@code ledger}: how charges are kept until the store has them. */
public record LedgerSettings(
    @Key(about = "when the journal counts as written", initial = "fsync") Durability durability,
    @Key(about = "longest time between two writes to the store", initial = "50ms", min = "1ms")
        Duration flushInterval,
    @Key(about = "charges per write to the store") Batch batch,
    @Key(about = "what is kept of the settled journal") Retention journalRetention,
    @Key(about = "time that a store outage is bridged from leases", initial = "60s", min = "0s")
        Duration outageGrace,
    @Key(about = "life of a credit lease", initial = "10m", min = "1s") Duration leaseTtl,
    @Key(about = "how long days stay in the store") DayRetention retention,
    @Key(about = "between two audits of the books", initial = "1h", min = "1s")
        Duration auditInterval) {

  /** What a charge survives before its client learns of it. */
  public enum Durability {
    /** A crash of the machine: it is synced to the disk. */
    FSYNC,
    /** A crash of the process: it is handed to the operating system. */
    PROCESS
  }

  /** Section {@code ledger.batch}. */
  public record Batch(
      @Key(about = "charges that trigger a write", initial = "500", min = "1") int min,
      @Key(about = "charges in one write at most", initial = "5000", min = "1") int max) {}

  /** Section {@code ledger.retention}: whole days. */
  public record DayRetention(
      @Key(about = "charges; their sums stay for good", initial = "90d", min = "8d")
          Duration charges,
      @Key(about = "the request log", initial = "35d", min = "8d") Duration requests) {}

  /** Section {@code ledger.journal_retention}. */
  public record Retention(
      @Key(about = "how long", initial = "24h", min = "0s") Duration time,
      @Key(name = "size", about = "how much", initial = "1GiB", bytes = true) long bytesMax) {}
}
