package dev.tollgate.core.exchange.frame;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Wrapper of the event loop that runs all steps of one request. Every step runs on the loop, which
 * is asserted; an exception that a step throws ends the request instead of leaving its client
 * without a reply.
 */
public final class RequestLoop {
  private final EventLoop loop;
  private final Consumer<RuntimeException> onUnexpected;

  /**
   * @param onUnexpected ends the request because of an exception
   */
  public RequestLoop(EventLoop loop, Consumer<RuntimeException> onUnexpected) {
    this.loop = loop;
    this.onUnexpected = onUnexpected;
  }

  /** Returns the loop itself, for ports that call back on it. */
  public EventLoop eventLoop() {
    return loop;
  }

  /** Returns the time of the loop's ticker, in nanoseconds. */
  public long now() {
    return loop.ticker().nanoTime();
  }

  /** Asserts that the caller runs on the loop. Called at every entrance of a confined object. */
  public void check() {
    check(loop);
  }

  /** Asserts that the caller runs on {@code loop}, for objects without a loop of a request. */
  public static void check(EventExecutor loop) {
    assert loop.inEventLoop() : "called on another thread than its event loop";
  }

  /** Runs a step; an exception ends the request. */
  public void run(Runnable step) {
    check();
    try {
      step.run();
    } catch (RuntimeException unexpected) {
      onUnexpected.accept(unexpected);
    } catch (OutOfMemoryError outOfMemory) { // of direct memory: it ends this request only
      onUnexpected.accept(new IllegalStateException("no room for a buffer", outOfMemory));
    }
  }

  /** Returns a callback that runs {@code step} as {@link #run} does. */
  public <T> Consumer<T> guarded(Consumer<T> step) {
    return value -> run(() -> step.accept(value));
  }

  /** Runs a step after a delay, as {@link #run} does. */
  public ScheduledFuture<?> schedule(Runnable step, Duration delay) {
    return loop.schedule(() -> run(step), delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
