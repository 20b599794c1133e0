package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pending request for a connection lease from an endpoint's pool, completed once or canceled.
 * Loop-confined.
 */
public final class Acquisition {
  private final EndpointPool pool;
  private final PoolLimits limits;
  private final long deadlineNanos;
  private final boolean fresh;
  private @Nullable Consumer<AcquisitionResult> whenDone;
  private Supplier<AcquisitionResult> timeoutResult = AcquisitionResult.PoolFull::new;
  private @Nullable Runnable undo;
  private @Nullable ScheduledFuture<?> clock;

  Acquisition(
      EndpointPool pool,
      PoolLimits limits,
      Duration connect,
      boolean fresh,
      Consumer<AcquisitionResult> whenDone) {
    this.pool = pool;
    this.limits = limits;
    this.deadlineNanos = pool.nanoTime() + connect.toNanos();
    this.fresh = fresh;
    this.whenDone = whenDone;
  }

  /** Cancels the request: leaves the queue, or stops connecting. */
  public void cancel() {
    assert pool.loop().inEventLoop();
    whenDone = null;
    stop();
  }

  PoolLimits limits() {
    return limits;
  }

  /** True if the request needs a new connection. */
  boolean isFresh() {
    return fresh;
  }

  boolean isDone() {
    return whenDone == null;
  }

  Duration remaining() {
    return Duration.ofNanos(Math.max(1, deadlineNanos - pool.nanoTime()));
  }

  /**
   * Waits until the connect timeout.
   *
   * @param timeoutResult returns the result after the timeout
   * @param undo cancels what runs meanwhile
   */
  void await(Supplier<AcquisitionResult> timeoutResult, Runnable undo) {
    this.timeoutResult = timeoutResult;
    this.undo = undo;
    if (clock == null) {
      // Queued after events of connections that were opened or returned in time but are not handled
      // yet.
      Runnable due = () -> ClientPriorityIoHandler.executeQueued(this::expired);
      clock = pool.loop().schedule(due, remaining().toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void expired() {
    Consumer<AcquisitionResult> listener = whenDone;
    cancel();
    if (listener != null) {
      listener.accept(timeoutResult.get());
    }
  }

  void complete(AcquisitionResult acquired) {
    Consumer<AcquisitionResult> listener = whenDone;
    if (listener == null) {
      return;
    }
    whenDone = null;
    undo = null;
    stop();
    listener.accept(acquired);
  }

  private void stop() {
    if (clock != null) {
      clock.cancel(false);
      clock = null;
    }
    Runnable pendingUndo = undo;
    undo = null;
    if (pendingUndo != null) {
      pendingUndo.run();
    }
  }
}
