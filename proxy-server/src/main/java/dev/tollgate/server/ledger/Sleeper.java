package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Sleep of one thread, which other threads can end early, with the clock it uses. */
interface Sleeper {
  long nanoTime();

  /** Returns after the time, or when woken. */
  void pause(Duration atMost);

  /** Ends the present sleep, or the next one at once. Safe on any thread. */
  void wake();

  /** Returns a sleeper on the machine's clock. */
  static Sleeper system() {
    Semaphore wakeups = new Semaphore(0);
    return new Sleeper() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void pause(Duration atMost) {
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
