package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The waiting of one thread, and the clock for it. */
interface Sleeper {
  long nanoTime();

  /** Returns after that time, or when woken. */
  void sleep(Duration atMost);

  /** Ends the present pause, or the next one at once. From any thread. */
  void wake();

  /** By the machine's clock. */
  static Sleeper system() {
    Semaphore wakeups = new Semaphore(0);
    return new Sleeper() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void sleep(Duration atMost) {
        try {
          if (wakeups.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            wakeups.drainPermits();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public void wake() {
        wakeups.release();
      }
    };
  }
}
