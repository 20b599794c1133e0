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
  private final AtomicBoolean looking = new AtomicBoolean();
  private final LongAdder reset = new LongAdder();

  /**
   * @param open connections; only those of a loop are touched on it
   */
  StalledStreams(Iterable<EventExecutor> loops, Iterable<Channel> open) {
    this.loops = loops;
    this.open = open;
  }

  /** A stream that stands still, and what waits for its client. */
  private record Standing(Channel channel, long untakenBytes) {}

  /** Asks the connections of a loop, on it, which of them stand still. */
  static final class Census {
    private final List<Standing> standing = new ArrayList<>();

    void add(Channel channel, long untakenBytes) {
      standing.add(new Standing(channel, untakenBytes));
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
    if (!looking.compareAndSet(false, true)) {
      return; // a loop is held up, and has not answered yet
    }
    List<CompletableFuture<Census>> asked = new ArrayList<>();
    for (EventExecutor loop : loops) {
      asked.add(CompletableFuture.supplyAsync(this::census, loop));
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
    var _ =
        all.thenRun(
                () -> {
                  asked.stream()
                      .flatMap(one -> one.join().standing.stream())
                      .sorted(Comparator.comparingLong(Standing::untakenBytes).reversed())
                      .forEach(new Ending(bytes)::next);
                })
            .whenComplete((_, _) -> looking.set(false));
  }

  /** On a loop: of its own connections. */
  private Census census() {
    Census census = new Census();
    for (Channel channel : open) {
      if (channel.eventLoop().inEventLoop()) {
        channel.pipeline().fireUserEventTriggered(census);
      }
    }
    return census;
  }

  /** Goes down the list until enough was given back. */
  private final class Ending {
    private long bytesLeft;

    Ending(long bytes) {
      this.bytesLeft = bytes;
    }

    void next(Standing standing) {
      if (bytesLeft > 0) {
        bytesLeft -= standing.untakenBytes();
        standing.channel().pipeline().fireUserEventTriggered(new Reset(reset));
      }
    }
  }
}
