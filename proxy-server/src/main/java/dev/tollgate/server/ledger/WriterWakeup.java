package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakeup of the journal writer's thread. A record without a waiter does not wake it from a short
 * park, and waiters are batched, because a wakeup and a sync cost more than everything else in the
 * journal.
 */
final class WriterWakeup {
  /**
   * Longest time between two polls of the queue while records arrive now and then without a waiter.
   */
  private static final long SHORT_PARK_NANOS = Duration.ofMillis(2).toNanos();

  private static final int SHORT_PARKS_MAX = 8;
  private static final int PERMANENT = 1 << 30;

  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

  /**
   * Number of waiters since the writer last polled the queue; {@link #PERMANENT} once it must not
   * park any more.
   */
  private final AtomicInteger waiting = new AtomicInteger();

  /** Number of waiters that ends a short park. */
  private volatile int wakeThreshold = 1;

  private volatile @Nullable Thread writerThread;
  private int shortParks;

  private enum State {
    RUNNING,
    SHORT_PARKED,
    PARKED
  }

  /** Signals a queued record without a waiter. */
  void signal() {
    if (state.get() == State.PARKED) {
      wake(State.PARKED);
    }
  }

  /** Signals a queued record with a waiter. */
  void signalWaiting() {
    wakeIfReached(waiting.incrementAndGet());
  }

  /**
   * Wakes the writer and prevents all further parking, because its last poll may be older than this
   * call.
   */
  void wakePermanently() {
    wakeIfReached(waiting.accumulateAndGet(PERMANENT, Math::max));
  }

  private void wakeIfReached(int count) {
    State seen = state.get();
    if (seen == State.PARKED || (seen == State.SHORT_PARKED && count >= wakeThreshold)) {
      wake(seen);
    }
  }

  private void wake(State seen) {
    if (state.compareAndSet(seen, State.RUNNING)) {
      LockSupport.unpark(writerThread);
    }
  }

  /** Resets the count of waiters before the writer polls the queue, which serves them. */
  void reset() {
    waiting.getAndUpdate(count -> count < PERMANENT ? 0 : PERMANENT);
  }

  /**
   * Parks the writer: shortly after recent work, until enough waiters are queued; otherwise until a
   * record is queued.
   *
   * @param threshold number of waiters that ends a short park, at least 1
   * @param horizonNanos how long the first of them may wait
   */
  void await(boolean worked, int threshold, long horizonNanos, BooleanSupplier idle) {
    shortParks = worked ? 0 : shortParks + 1;
    if (writerThread == null) {
      writerThread = Thread.currentThread();
    }
    wakeThreshold = threshold;
    if (shortParks <= SHORT_PARKS_MAX) {
      state.set(State.SHORT_PARKED);
      if (waiting.get() < threshold) {
        LockSupport.parkNanos(this, threshold == 1 ? SHORT_PARK_NANOS : horizonNanos);
      }
    } else {
      state.set(State.PARKED);
      while (waiting.get() == 0 && idle.getAsBoolean() && state.get() == State.PARKED) {
        LockSupport.park(this);
      }
    }
    state.set(State.RUNNING);
  }
}
