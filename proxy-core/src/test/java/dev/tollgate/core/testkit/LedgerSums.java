package dev.tollgate.core.testkit;

import java.util.SortedMap;

/**
 * Sums of a ledger store, to compare one implementation with another.
 *
 * @param scopes by the scope's id
 * @param leases by {@code <holder> <scope>}
 */
public record LedgerSums(SortedMap<String, ScopeSums> scopes, SortedMap<String, LeaseSums> leases) {
  /** One scope; amounts in micro-USD. */
  public record ScopeSums(long used, long leased, long beyond, long recall) {}

  /** One lease; amounts in micro-USD. */
  public record LeaseSums(
      long granted,
      long spent,
      long overrun,
      boolean open,
      long answered,
      long called,
      long stated) {}
}
