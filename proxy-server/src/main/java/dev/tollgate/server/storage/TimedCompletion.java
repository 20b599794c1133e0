package dev.tollgate.server.storage;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Completion of a disk operation, exactly once: with its result, or with a timeout. */
final class TimedCompletion<T> {
  private final EventLoop loop;
  private final Duration timeout;
  private @Nullable Consumer<T> listener;
  private @Nullable ScheduledFuture<?> timer;

  TimedCompletion(EventLoop loop, Duration timeout, Consumer<T> listener) {
    this.loop = loop;
    this.timeout = timeout;
    this.listener = listener;
  }

  /** Supplies the result to use on a timeout. */
  void onTimeout(Supplier<T> late) {
    timer = loop.schedule(() -> complete(late.get()), timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Completes with the first result, on the loop; true if this call did so. */
  boolean complete(T answer) {
    assert loop.inEventLoop();
    Consumer<T> callback = listener;
    listener = null;
    if (timer != null) {
      timer.cancel(false);
    }
    if (callback != null) {
      callback.accept(answer);
    }
    return callback != null;
  }
}
