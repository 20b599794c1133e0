package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the writer. What is not urgent does not wake it from a nap: waking a thread costs the one
 * that does it more than all else it does for the journal.
 */
final class Doorbell {
  private static final Duration NAP = Duration.ofMillis(2);
  private static final int NAPS_MAX = 8;

  private final AtomicReference<State> state = new AtomicReference<>(State.AWAKE);
  private volatile boolean urgent;
  private volatile @Nullable Thread sleeper;
  private int naps;

  private enum State {
    AWAKE,
    NAPPING,
    ASLEEP
  }

  /** To be called after what is to be done was queued. */
  void ring(boolean now) {
    if (now) {
      urgent = true;
    }
    State seen = state.get();
    if ((seen == State.ASLEEP || (now && seen == State.NAPPING))
        && state.compareAndSet(seen, State.AWAKE)) {
      LockSupport.unpark(sleeper);
    }
  }

  /** The writer is about to look: what was urgent is now being done. */
  void answer() {
    urgent = false;
  }

  /** Returns at once if something is urgent, soon if there was work lately, else when rung. */
  void await(boolean worked, BooleanSupplier idle) {
    naps = worked ? 0 : naps + 1;
    if (sleeper == null) {
      sleeper = Thread.currentThread();
    }
    if (naps <= NAPS_MAX) {
      state.set(State.NAPPING);
      if (!urgent) {
        LockSupport.parkNanos(this, NAP.toNanos());
      }
    } else {
      state.set(State.ASLEEP);
      while (!urgent && idle.getAsBoolean() && state.get() == State.ASLEEP) {
        LockSupport.park(this);
      }
    }
    state.set(State.AWAKE);
  }
}
