package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the writer. What nobody waits for does not wake it from a nap, and neither does one who
 * waits while more are about to: waking a thread, and a sync, cost more than all else that is done
 * for the journal.
 */
final class WriterWakeup {
  /** How long the writer may not look while there is work now and then, but nobody waits. */
  private static final long SHORT_PARK_NANOS = Duration.ofMillis(2).toNanos();

  private static final int SHORT_PARKS_MAX = 8;
  private static final int PERMANENT = 1 << 30;

  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

  /** Who waits for the writer since it last looked; more than all while it must hurry. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** For how many it gets up. */
  private volatile int wakeThreshold = 1;

  private volatile @Nullable Thread writerThread;
  private int shortParks;

  private enum State {
    RUNNING,
    SHORT_PARKED,
    PARKED
  }

  /** Something was queued that nobody waits for. */
  void signal() {
    if (state.get() == State.PARKED) {
      wake(State.PARKED);
    }
  }

  /** Something was queued that someone waits for. */
  void signalWaiting() {
    wakeIfReached(waiting.incrementAndGet());
  }

  /** The writer shall look now, and never sleeps again: what it sees may be older than this. */
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

  /** The writer is about to look: who waited is now being served. */
  void reset() {
    waiting.getAndUpdate(count -> count < PERMANENT ? 0 : PERMANENT);
  }

  /**
   * Returns when so many wait, soon if there was work lately, else when rung.
   *
   * @param threshold how many should wait before a nap is cut short, at least 1
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
