package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.Provider.PoolLimits;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One wish for a lease: completed once, or cancelled. Loop-confined. */
public final class Acquisition {
  private final EndpointPool pool;
  private final PoolLimits limits;
  private final long deadlineNanos;
  private @Nullable Consumer<Acquired> whenDone;
  private @Nullable ScheduledFuture<?> clock;

  Acquisition(EndpointPool pool, PoolLimits limits, Duration connect, Consumer<Acquired> whenDone) {
    this.pool = pool;
    this.limits = limits;
    this.deadlineNanos = pool.nanoTime() + connect.toNanos();
    this.whenDone = whenDone;
  }

  /** Gives the wish up. What comes later goes back to the pool. */
  public void cancel() {
    assert pool.loop().inEventLoop();
    whenDone = null;
    stopClock();
  }

  PoolLimits limits() {
    return limits;
  }

  boolean isDone() {
    return whenDone == null;
  }

  Duration remaining(long nowNanos) {
    return Duration.ofNanos(Math.max(1, deadlineNanos - nowNanos));
  }

  /** Starts the connect clock; {@code onTimeout} stops what is under way. */
  void startClock(Runnable onTimeout) {
    stopClock();
    Runnable expire =
        () -> {
          complete(new Acquired.TimedOut());
          onTimeout.run();
        };
    pool.schedule(expire, Math.max(1, deadlineNanos - pool.nanoTime()), this);
  }

  void clock(ScheduledFuture<?> started) {
    clock = started;
  }

  void complete(Acquired acquired) {
    Consumer<Acquired> listener = whenDone;
    if (listener == null) {
      return;
    }
    whenDone = null;
    stopClock();
    listener.accept(acquired);
  }

  private void stopClock() {
    if (clock != null) {
      clock.cancel(false);
      clock = null;
    }
  }
}
