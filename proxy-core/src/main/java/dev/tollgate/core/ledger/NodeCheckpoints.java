package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import java.util.UUID;

/** The books' side of knowing whether they went back in time. Calls block. */
public interface NodeCheckpoints {

  /** What the books say of a node now. */
  NodeCheckpoint read(UUID node) throws LedgerStoreException;

  /**
   * Says that all charges in the journal before a segment are booked. Books that are not those that
   * are meant, or lack a batch, take no notice.
   *
   * @param initialIdentity the books that are meant
   * @return what they say now
   */
  NodeCheckpoint advance(LeaseHolder holder, LedgerStoreIdentity initialIdentity, long keptFrom)
      throws LedgerStoreException;

  /** What the books were heard to count of the present life. */
  LedgerWatermark watermark();
}
