package dev.tollgate.core.ledger;

/**
 * Which books these are. A restored backup may be the same in all of it; a replica that was
 * promoted, or another database, is not. A part that could not be asked for is empty.
 *
 * @param incarnation made with the tables
 * @param system the database cluster's own name
 * @param timeline of its write-ahead log, which a promotion changes
 */
public record LedgerStoreIdentity(String incarnation, String system, String timeline) {
  /** Nothing is known. */
  public static final LedgerStoreIdentity UNKNOWN = new LedgerStoreIdentity("", "", "");

  /** Whether these cannot be the same books, for all that is known of both. */
  public boolean differsFrom(LedgerStoreIdentity other) {
    return differ(incarnation, other.incarnation)
        || differ(system, other.system)
        || differ(timeline, other.timeline);
  }

  private static boolean differ(String one, String other) {
    return !one.isEmpty() && !other.isEmpty() && !one.equals(other);
  }
}
