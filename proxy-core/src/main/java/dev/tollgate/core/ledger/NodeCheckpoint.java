package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import java.util.Optional;
import java.util.UUID;

/**
 * What the books say of one node, and of themselves. It is written in the books' own transactions,
 * so it goes back in time with them.
 *
 * @param epoch of the node's last life that they know; 0: none
 * @param boot of that life
 * @param batches of charges that they took in that life
 * @param keptFrom all charges in the node's journal before this segment are booked
 */
public record NodeCheckpoint(
    LedgerStoreIdentity store, long epoch, Optional<UUID> boot, long batches, long keptFrom) {

  /** What a mark means for a life of the node. */
  public sealed interface CheckpointVerdict {
    /** The books are those that it knows. */
    record Same() implements CheckpointVerdict {}

    /** They lack what they had: it must not spend, and send its journal again. */
    record RolledBack(String why) implements CheckpointVerdict {}

    /** Another process of this node is the present one. */
    record TakenOver() implements CheckpointVerdict {}
  }

  /**
   * Compares with what a life was told by its books.
   *
   * @param initialIdentity the books in which it began
   * @param batches that it was told are booked
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
      return new CheckpointVerdict.RolledBack("the start of this node is not in them any more");
    }
    if (this.batches < batches) {
      return new CheckpointVerdict.RolledBack(
          "of " + batches + " batches of charges they have " + this.batches);
    }
    return new CheckpointVerdict.Same();
  }

  private static Optional<UUID> boot(LeaseHolder holder) {
    return Optional.of(holder.boot());
  }
}
