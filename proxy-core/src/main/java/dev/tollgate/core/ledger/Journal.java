package dev.tollgate.core.ledger;

import java.util.List;
import java.util.concurrent.Executor;

/**
 * What a node writes down before it acts: an append-only log on its own disk, and the queue of what
 * the books do not have yet. Writing never blocks and may be done from any thread.
 */
public interface Journal {

  /**
   * Whether a new request may be admitted: the disk has room to settle it and every one that runs,
   * it keeps up with what is written, and nothing is wrong with it.
   */
  boolean admits();

  /**
   * Appends; on the disk with the next group that is synced, and nobody waits for it. Progress,
   * which only makes the charge after a crash finer, is left out while too much is waiting.
   */
  void write(JournalRecord record);

  /**
   * Appends a charge.
   *
   * @param durable is run once by {@code loop} when the charge will survive the machine
   */
  void settle(Settlement settlement, Executor loop, Runnable durable);

  /** The oldest durable charges that are not booked, oldest first. For the settler's thread. */
  List<Settlement> unsettled(int max);

  /**
   * The books have the first {@code count} of what {@link #unsettled} returned last; they are not
   * returned again.
   */
  void settled(int count);

  /** Charges that are durable and not booked. */
  long backlog();
}
