package dev.tollgate.core.ledger;

/**
 * The batches of one life that the books have, as they themselves counted them. They count on, so a
 * number that was heard before means that they lost at least one.
 */
public final class BatchCount {
  private long heard;
  private boolean lost;

  /** A batch is booked and the books counted it. */
  public synchronized void booked(long count) {
    if (count <= heard) {
      lost = true;
    }
    heard = Math.max(heard, count);
  }

  /** Another life begins. */
  public synchronized void reset() {
    heard = 0;
    lost = false;
  }

  public synchronized long heard() {
    return heard;
  }

  /** Whether they lack what they had counted. */
  public synchronized boolean hasLost() {
    return lost;
  }
}
