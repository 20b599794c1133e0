package dev.tollgate.core.ledger;

/**
 * Identity of a ledger store's database, by which a node detects that it was replaced. A restored
 * backup may have the same identity; a promoted replica or another database has not. A part that
 * could not be read is empty.
 *
 * @param incarnation random id that was made with the tables
 * @param system the system identifier of the database cluster
 * @param timeline the timeline of its write-ahead log, which a promotion changes
 */
public record LedgerStoreIdentity(String incarnation, String system, String timeline) {
  /** Identity of which no part is known. */
  public static final LedgerStoreIdentity UNKNOWN = new LedgerStoreIdentity("", "", "");

  /** True if these cannot be the same store; unknown parts are not compared. */
  public boolean differsFrom(LedgerStoreIdentity other) {
    return differ(incarnation, other.incarnation)
        || differ(system, other.system)
        || differ(timeline, other.timeline);
  }

  private static boolean differ(String one, String other) {
    return !one.isEmpty() && !other.isEmpty() && !one.equals(other);
  }
}
