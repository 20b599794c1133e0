package dev.tollgate.server.ledger;

/**
 * Which segments the books need again, and which are there.
 *
 * @param neededFrom the first that the books may not have whole
 * @param availableFrom from here on all are there
 * @param next the first that was not written yet
 */
public record ReplayRange(long neededFrom, long availableFrom, long next) {

  /** Whether some that are wanted are gone. */
  public boolean isIncomplete() {
    return availableFrom > neededFrom;
  }

  /** What is gone, for an operator. */
  public String missingSegments() {
    return "it may lack charges of journal segments "
        + neededFrom
        + " to "
        + (availableFrom - 1)
        + ", which are not kept any more (ledger.journal_retention).";
  }
}
