package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import java.util.UUID;

/** The books' side of knowing whether they went back in time. Calls block. */
public interface Marks {

  /** What the books say of a node now. */
  Mark look(UUID node) throws BankException;

  /**
   * Says that all charges in the journal before a segment are booked. Books that are not those that
   * are meant, or lack a batch, take no notice.
   *
   * @param began the books that are meant
   * @return what they say now
   */
  Mark raise(Holder holder, BooksIdentity began, long keptFrom) throws BankException;

  /** What the books were heard to count of the present life. */
  BooksCounts counts();
}
