package dev.tollgate.core.ledger;

import java.util.Optional;

/**
 * What the books were heard to count of one life: its batches, as they themselves counted them, and
 * the number of its last sign of life. Both go on, so books that know less than was heard lost some
 * of it, and whatever they were told since.
 */
public final class BooksCounts {
  private long heard;
  private long ticked;
  private String lost = "";

  /** A batch is booked and the books counted it. */
  public synchronized void booked(long count) {
    if (count <= heard) {
      lost = "they counted a batch of charges a second time";
    }
    heard = Math.max(heard, count);
  }

  /**
   * A sign of life was answered.
   *
   * @param known whether the books still had the last that was heard before it was sent
   */
  public synchronized void ticked(long number, boolean known) {
    if (!known && ticked > 0) {
      lost = "a sign of life that they had answered is not in them any more";
    }
    ticked = Math.max(ticked, number);
  }

  /** Another life begins. */
  public synchronized void reset() {
    heard = 0;
    ticked = 0;
    lost = "";
  }

  /** Batches. */
  public synchronized long heard() {
    return heard;
  }

  /** The last sign of life. */
  public synchronized long ticked() {
    return ticked;
  }

  /** What they lack of what they had counted. */
  public synchronized Optional<String> lost() {
    return Optional.of(lost).filter(why -> !why.isEmpty());
  }
}
