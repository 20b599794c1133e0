package dev.tollgate.core.ledger;

import java.util.List;
import java.util.concurrent.Executor;

/**
 * Port to a node's append-only log of reservations and charges on its own disk, and to the queue of
 * charges that are not settled yet. Writing never blocks and may be done from any thread.
 */
public interface Journal {

  /**
   * True if a new request may be admitted: the disk has room to settle it and every running
   * request, keeps up with the writes, and has not failed.
   */
  boolean admits();

  /**
   * Appends a record, which is durable with the next group that is synced; no caller waits for
   * that. Progress, which only refines the charge after a crash, is dropped while too many records
   * are queued.
   */
  void write(JournalRecord record);

  /**
   * Appends a charge.
   *
   * @param durable run once on {@code loop} when the charge is durable
   */
  void settle(Settlement settlement, Executor loop, Runnable durable);

  /**
   * Returns the oldest durable charges that are not settled, oldest first. For the settler's
   * thread.
   */
  List<Settlement> unsettled(int max);

  /**
   * Marks the first {@code count} charges that {@link #unsettled} returned last as settled; they
   * are not returned again.
   */
  void settled(int count);

  /** Returns the number of charges that are durable and not settled. */
  long backlog();
}
