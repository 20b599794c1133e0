package dev.tollgate.server.blob;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The one answer to a question about the disk: what came of it, or that nothing came in time. */
final class Answer<T> {
  private final EventLoop loop;
  private final Duration timeout;
  private @Nullable Consumer<T> listener;
  private @Nullable ScheduledFuture<?> clock;

  Answer(EventLoop loop, Duration timeout, Consumer<T> listener) {
    this.loop = loop;
    this.timeout = timeout;
    this.listener = listener;
  }

  /** What to say, and do, when time is up. */
  void orElse(Supplier<T> late) {
    clock = loop.schedule(() -> give(late.get()), timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** On the loop; the first answer counts. Whether it was this one. */
  boolean give(T answer) {
    assert loop.inEventLoop();
    Consumer<T> told = listener;
    listener = null;
    if (clock != null) {
      clock.cancel(false);
    }
    if (told != null) {
      told.accept(answer);
    }
    return told != null;
  }
}
