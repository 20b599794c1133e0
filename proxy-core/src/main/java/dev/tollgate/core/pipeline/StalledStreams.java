package dev.tollgate.core.pipeline;

import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The streams whose clients take nothing: where buffers run out, those that hold most are reset, so
 * that all others go on. Each connection says on its own loop whether it stands still. Shared by
 * all threads.
 */
final class StalledStreams {
  private final Iterable<EventExecutor> loops;
  private final Iterable<Channel> open;
  private final AtomicBoolean resetting = new AtomicBoolean();
  private final LongAdder reset = new LongAdder();

  /**
   * @param open connections; only those of a loop are touched on it
   */
  StalledStreams(Iterable<EventExecutor> loops, Iterable<Channel> open) {
    this.loops = loops;
    this.open = open;
  }

  /** A stream that stands still, and what waits for its client. */
  private record StalledStream(Channel channel, long pendingBytes) {}

  /** Asks the connections of a loop, on it, which of them stand still. */
  static final class StallQuery {
    private final List<StalledStream> stalled = new ArrayList<>();

    void add(Channel channel, long pendingBytes) {
      stalled.add(new StalledStream(channel, pendingBytes));
    }
  }

  /** Tells a connection to end its stream, unless that moves again. */
  record Reset(LongAdder counted) {}

  /** How many streams were reset. */
  long total() {
    return reset.sum();
  }

  /** Resets as many as hold so many bytes together, the largest first. */
  void reset(long bytes) {
    if (!resetting.compareAndSet(false, true)) {
      return; // a loop is held up, and has not answered yet
    }
    List<CompletableFuture<StallQuery>> asked = new ArrayList<>();
    for (EventExecutor loop : loops) {
      asked.add(CompletableFuture.supplyAsync(this::query, loop));
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
    var _ =
        all.thenRun(
                () -> {
                  asked.stream()
                      .flatMap(one -> one.join().stalled.stream())
                      .sorted(Comparator.comparingLong(StalledStream::pendingBytes).reversed())
                      .forEach(new Resetter(bytes)::next);
                })
            .whenComplete((_, _) -> resetting.set(false));
  }

  /** On a loop: of its own connections. */
  private StallQuery query() {
    StallQuery query = new StallQuery();
    for (Channel channel : open) {
      if (channel.eventLoop().inEventLoop()) {
        channel.pipeline().fireUserEventTriggered(query);
      }
    }
    return query;
  }

  /** Goes down the list until enough was given back. */
  private final class Resetter {
    private long bytesLeft;

    Resetter(long bytes) {
      this.bytesLeft = bytes;
    }

    void next(StalledStream stalled) {
      if (bytesLeft > 0) {
        bytesLeft -= stalled.pendingBytes();
        stalled.channel().pipeline().fireUserEventTriggered(new Reset(reset));
      }
    }
  }
}
