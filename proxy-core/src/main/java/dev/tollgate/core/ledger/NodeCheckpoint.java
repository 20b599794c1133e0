package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import java.util.Optional;
import java.util.UUID;

/**
 * Record in the ledger store of how much of one node's journal it has settled, with the store's
 * identity. The store writes it in the transactions that settle charges, so a rollback of the store
 * rolls it back too.
 *
 * @param epoch the node's last epoch that the store has; 0 means none
 * @param boot the process of that epoch
 * @param batches number of batches of charges that were settled in that epoch
 * @param keptFrom all charges in the node's journal before this segment are settled
 */
public record NodeCheckpoint(
    LedgerStoreIdentity store, long epoch, Optional<UUID> boot, long batches, long keptFrom) {

  /** Result of comparing a checkpoint with what the store acknowledged. */
  public sealed interface CheckpointVerdict {
    /** The store has everything that it acknowledged. */
    record Same() implements CheckpointVerdict {}

    /**
     * The store lacks something that it acknowledged: the node must stop spending and send its
     * journal again.
     */
    record RolledBack(String why) implements CheckpointVerdict {}

    /** Another process of this node holds the current epoch. */
    record TakenOver() implements CheckpointVerdict {}
  }

  /**
   * Compares this checkpoint with what the store acknowledged to a process.
   *
   * @param initialIdentity the store in which the process began its epoch
   * @param batches number of batches that the store acknowledged
   */
  public CheckpointVerdict check(
      LeaseHolder holder, LedgerStoreIdentity initialIdentity, long batches) {
    if (store.differsFrom(initialIdentity)) {
      return new CheckpointVerdict.RolledBack(
          "the database is not the one that this node began with");
    }
    if (epoch > holder.epoch() || (epoch == holder.epoch() && !boot.equals(boot(holder)))) {
      return new CheckpointVerdict.TakenOver();
    }
    if (epoch < holder.epoch()) {
      return new CheckpointVerdict.RolledBack(
          "the ledger store lost the current epoch of this node");
    }
    if (this.batches < batches) {
      return new CheckpointVerdict.RolledBack(
          "the ledger store has "
              + this.batches
              + " of "
              + batches
              + " acknowledged batches of charges");
    }
    return new CheckpointVerdict.Same();
  }

  private static Optional<UUID> boot(LeaseHolder holder) {
    return Optional.of(holder.boot());
  }
}
