package dev.tollgate.core.ledger;

import java.util.Optional;

/**
 * Highest settlement batch count and heartbeat number that the ledger store acknowledged to this
 * process in its epoch. Both only grow, so a store that has less was rolled back and lost what it
 * acknowledged since.
 */
public final class LedgerWatermark {
  private long batches;
  private long heartbeat;
  private String loss = "";

  /** Records that the store settled a batch and returned its count. */
  public synchronized void batchSettled(long count) {
    if (count <= batches) {
      loss = "the ledger store counted a batch of charges twice";
    }
    batches = Math.max(batches, count);
  }

  /**
   * Records that a heartbeat was acknowledged.
   *
   * @param previousKnown true if the store still had the heartbeat acknowledged before this one
   */
  public synchronized void heartbeat(long number, boolean previousKnown) {
    if (!previousKnown && heartbeat > 0) {
      loss = "the ledger store lost a heartbeat that it had acknowledged";
    }
    heartbeat = Math.max(heartbeat, number);
  }

  /** Starts over for a new epoch. */
  public synchronized void reset() {
    batches = 0;
    heartbeat = 0;
    loss = "";
  }

  /** Returns the number of batches that the store acknowledged. */
  public synchronized long batches() {
    return batches;
  }

  /** Returns the number of the last acknowledged heartbeat. */
  public synchronized long heartbeat() {
    return heartbeat;
  }

  /** Returns what the store lost of what it had acknowledged; empty if nothing. */
  public synchronized Optional<String> loss() {
    return Optional.of(loss).filter(why -> !why.isEmpty());
  }
}
