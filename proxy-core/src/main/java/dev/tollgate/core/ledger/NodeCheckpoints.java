package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import java.util.UUID;

/**
 * Port to the node checkpoints in the ledger store, by which a node detects a rollback of the
 * store. Calls block.
 */
public interface NodeCheckpoints {

  /** Reads a node's present checkpoint. */
  NodeCheckpoint read(UUID node) throws LedgerStoreException;

  /**
   * Records that all charges in the journal before a segment are settled. A store with another
   * identity, or one that lacks an acknowledged batch, ignores it.
   *
   * @param initialIdentity the store in which the holder began its epoch
   * @return the checkpoint afterwards
   */
  NodeCheckpoint advance(LeaseHolder holder, LedgerStoreIdentity initialIdentity, long keptFrom)
      throws LedgerStoreException;

  /** Returns the watermark of the present epoch. */
  LedgerWatermark watermark();
}
