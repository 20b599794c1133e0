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
 * Reset of streams whose clients receive nothing, to release memory. When memory runs out, those
 * with the most pending bytes are reset, so that all others continue. Each connection decides on
 * its own loop whether it is stalled. Shared by all threads.
 */
final class StalledStreams {
  private final Iterable<EventExecutor> loops;
  private final Iterable<Channel> open;
  private final AtomicBoolean resetting = new AtomicBoolean();
  private final LongAdder reset = new LongAdder();

  /**
   * @param open connections; each is used only on its own loop
   */
  StalledStreams(Iterable<EventExecutor> loops, Iterable<Channel> open) {
    this.loops = loops;
    this.open = open;
  }

  /** A stalled stream and its pending bytes. */
  private record StalledStream(Channel channel, long pendingBytes) {}

  /** Event that collects the stalled connections of a loop, on that loop. */
  static final class StallQuery {
    private final List<StalledStream> stalled = new ArrayList<>();

    void add(Channel channel, long pendingBytes) {
      stalled.add(new StalledStream(channel, pendingBytes));
    }
  }

  /** Event that makes a connection end its stream, unless it has made progress. */
  record Reset(LongAdder counted) {}

  /** Returns the number of streams reset so far. */
  long total() {
    return reset.sum();
  }

  /** Resets as many streams as hold {@code bytes} together, the largest first. */
  void reset(long bytes) {
    if (!resetting.compareAndSet(false, true)) {
      return; // an earlier query has not been answered by all loops yet
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

  /** Queries the connections of the calling loop. */
  private StallQuery query() {
    StallQuery query = new StallQuery();
    for (Channel channel : open) {
      if (channel.eventLoop().inEventLoop()) {
        channel.pipeline().fireUserEventTriggered(query);
      }
    }
    return query;
  }

  /** Resets streams in order until enough bytes are released. */
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
