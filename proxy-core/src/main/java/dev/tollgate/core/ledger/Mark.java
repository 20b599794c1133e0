package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.Bank.Holder;
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
public record Mark(
    BooksIdentity books, long epoch, Optional<UUID> boot, long batches, long keptFrom) {

  /** What a mark means for a life of the node. */
  public sealed interface Verdict {
    /** The books are those that it knows. */
    record Same() implements Verdict {}

    /** They lack what they had: it must not spend, and send its journal again. */
    record WentBack(String why) implements Verdict {}

    /** Another process of this node is the present one. */
    record TakenOver() implements Verdict {}
  }

  /**
   * Compares with what a life was told by its books.
   *
   * @param began the books in which it began
   * @param batches that it was told are booked
   */
  public Verdict after(Holder holder, BooksIdentity began, long batches) {
    if (books.differsFrom(began)) {
      return new Verdict.WentBack("the database is not the one that this node began with");
    }
    if (epoch > holder.epoch() || (epoch == holder.epoch() && !boot.equals(boot(holder)))) {
      return new Verdict.TakenOver();
    }
    if (epoch < holder.epoch()) {
      return new Verdict.WentBack("the start of this node is not in them any more");
    }
    if (this.batches < batches) {
      return new Verdict.WentBack(
          "of " + batches + " batches of charges they have " + this.batches);
    }
    return new Verdict.Same();
  }

  private static Optional<UUID> boot(Holder holder) {
    return Optional.of(holder.boot());
  }
}
