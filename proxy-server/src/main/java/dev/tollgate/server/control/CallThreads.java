package dev.tollgate.server.control;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Virtual threads that carry calls out: a bounded number at once, and a bounded number that waits
 * for a short time.
 */
final class CallThreads {
  /** Largest number of calls that wait for others to end. */
  static final int WAITING_MAX = 128;

  private static final long WAIT_MILLIS_MAX = 2_000;

  private final int runningMax;
  private final Semaphore places;
  private final AtomicInteger begun = new AtomicInteger();

  CallThreads(int runningMax) {
    this.runningMax = runningMax;
    this.places = new Semaphore(runningMax, true);
  }

  /** A call: exactly one of the two methods is called. */
  interface Work {
    void run();

    /** There was no place for it. */
    void refuse();
  }

  /** True if a call that begins now would be refused. */
  boolean isFull() {
    return begun.get() >= runningMax + WAITING_MAX;
  }

  /** Carries a call out on a thread of its own, or refuses it here or there. */
  void start(Work work) {
    if (begun.getAndUpdate(count -> count < runningMax + WAITING_MAX ? count + 1 : count)
        >= runningMax + WAITING_MAX) {
      work.refuse();
      return;
    }
    Thread.ofVirtual().name("control-call").start(() -> await(work));
  }

  private void await(Work work) {
    try {
      if (!places.tryAcquire(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
        work.refuse();
        return;
      }
      try {
        work.run();
      } finally {
        places.release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      work.refuse();
    } finally {
      begun.decrementAndGet();
    }
  }

  /** Returns the number of calls that run or wait. */
  int begun() {
    return begun.get();
  }
}
