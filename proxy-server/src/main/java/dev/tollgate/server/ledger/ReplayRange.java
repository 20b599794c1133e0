package dev.tollgate.server.ledger;

/**
 * Range of journal segments that the ledger store needs again after a rollback, and of those that
 * are available.
 *
 * @param neededFrom the first segment that the store may not have completely
 * @param availableFrom the first segment from which on all are available
 * @param next the first segment that is not written yet
 */
public record ReplayRange(long neededFrom, long availableFrom, long next) {

  /** True if needed segments are deleted. */
  public boolean isIncomplete() {
    return availableFrom > neededFrom;
  }

  /** Returns a description of the missing segments, for an operator. */
  public String missingSegments() {
    return "it may lack charges of journal segments "
        + neededFrom
        + " to "
        + (availableFrom - 1)
        + ", which are not kept any more (ledger.journal_retention).";
  }
}
