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
final class Doorbell {
  /** How long the writer may not look while there is work now and then, but nobody waits. */
  private static final long NAP_NANOS = Duration.ofMillis(2).toNanos();

  private static final int NAPS_MAX = 8;
  private static final int HURRY = 1 << 30;

  private final AtomicReference<State> state = new AtomicReference<>(State.AWAKE);

  /** Who waits for the writer since it last looked; more than all while it must hurry. */
  private final AtomicInteger waiting = new AtomicInteger();

  /** For how many it gets up. */
  private volatile int wanted = 1;

  private volatile @Nullable Thread sleeper;
  private int naps;

  private enum State {
    AWAKE,
    NAPPING,
    ASLEEP
  }

  /** Something was queued that nobody waits for. */
  void ring() {
    if (state.get() == State.ASLEEP) {
      wake(State.ASLEEP);
    }
  }

  /** Something was queued that someone waits for. */
  void ringWaiting() {
    wakeFor(waiting.incrementAndGet());
  }

  /** The writer shall look now, and never sleeps again: what it sees may be older than this. */
  void hurry() {
    wakeFor(waiting.accumulateAndGet(HURRY, Math::max));
  }

  private void wakeFor(int count) {
    State seen = state.get();
    if (seen == State.ASLEEP || (seen == State.NAPPING && count >= wanted)) {
      wake(seen);
    }
  }

  private void wake(State seen) {
    if (state.compareAndSet(seen, State.AWAKE)) {
      LockSupport.unpark(sleeper);
    }
  }

  /** The writer is about to look: who waited is now being served. */
  void answer() {
    waiting.getAndUpdate(count -> count < HURRY ? 0 : HURRY);
  }

  /**
   * Returns when so many wait, soon if there was work lately, else when rung.
   *
   * @param worthwhile how many should wait before a nap is cut short, at least 1
   * @param horizonNanos how long the first of them may wait
   */
  void await(boolean worked, int worthwhile, long horizonNanos, BooleanSupplier idle) {
    naps = worked ? 0 : naps + 1;
    if (sleeper == null) {
      sleeper = Thread.currentThread();
    }
    wanted = worthwhile;
    if (naps <= NAPS_MAX) {
      state.set(State.NAPPING);
      if (waiting.get() < worthwhile) {
        LockSupport.parkNanos(this, worthwhile == 1 ? NAP_NANOS : horizonNanos);
      }
    } else {
      state.set(State.ASLEEP);
      while (waiting.get() == 0 && idle.getAsBoolean() && state.get() == State.ASLEEP) {
        LockSupport.park(this);
      }
    }
    state.set(State.AWAKE);
  }
}
