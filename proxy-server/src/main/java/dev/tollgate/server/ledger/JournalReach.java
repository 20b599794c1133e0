package dev.tollgate.server.ledger;

/**
 * Which segments the books need again, and which are there.
 *
 * @param wanted the first that the books may not have whole
 * @param kept from here on all are there
 * @param next the first that was not written yet
 */
public record JournalReach(long wanted, long kept, long next) {

  /** Whether some that are wanted are gone. */
  public boolean isShort() {
    return kept > wanted;
  }

  /** What is gone, for an operator. */
  public String lack() {
    return "it may lack charges of journal segments "
        + wanted
        + " to "
        + (kept - 1)
        + ", which are not kept any more (ledger.journal_retention).";
  }
}
