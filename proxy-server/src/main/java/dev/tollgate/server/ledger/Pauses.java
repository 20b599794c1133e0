package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The waiting of one thread, and the clock for it. */
interface Pauses {
  long nanoTime();

  /** Returns after that time, or when woken. */
  void await(Duration atMost);

  /** Ends the present pause, or the next one at once. From any thread. */
  void wake();

  /** By the machine's clock. */
  static Pauses ofMachine() {
    Semaphore calls = new Semaphore(0);
    return new Pauses() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void await(Duration atMost) {
        try {
          if (calls.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            calls.drainPermits();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public void wake() {
        calls.release();
      }
    };
  }
}
