package dev.tollgate.core.ledger;

import java.util.Optional;

/**
 * What the books were heard to count of one life: its batches, as they themselves counted them, and
 * the number of its last sign of life. Both go on, so books that know less than was heard lost some
 * of it, and whatever they were told since.
 */
public final class LedgerWatermark {
  private long batches;
  private long heartbeat;
  private String loss = "";

  /** A batch is booked and the books counted it. */
  public synchronized void batchSettled(long count) {
    if (count <= batches) {
      loss = "they counted a batch of charges a second time";
    }
    batches = Math.max(batches, count);
  }

  /**
   * A sign of life was answered.
   *
   * @param previousKnown whether the books still had the last that was heard before it was sent
   */
  public synchronized void heartbeat(long number, boolean previousKnown) {
    if (!previousKnown && heartbeat > 0) {
      loss = "a sign of life that they had answered is not in them any more";
    }
    heartbeat = Math.max(heartbeat, number);
  }

  /** Another life begins. */
  public synchronized void reset() {
    batches = 0;
    heartbeat = 0;
    loss = "";
  }

  /** Batches. */
  public synchronized long batches() {
    return batches;
  }

  /** The last sign of life. */
  public synchronized long heartbeat() {
    return heartbeat;
  }

  /** What they lack of what they had counted. */
  public synchronized Optional<String> loss() {
    return Optional.of(loss).filter(why -> !why.isEmpty());
  }
}
