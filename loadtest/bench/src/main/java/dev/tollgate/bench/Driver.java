package dev.tollgate.bench;

import dev.tollgate.core.pipeline.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs all load of a benchmark on one event loop thread. The driver thus takes at most one
 * processor from the measured server. Called by the thread of the run; loads and connections are
 * confined to the loop.
 */
final class Driver implements AutoCloseable {
  private static final long TICK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long TICK_NANOS_MIN = TimeUnit.MICROSECONDS.toNanos(20);

  private final Transport transport = Transport.auto();
  private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandlers());
  private final EventLoop loop = group.next();
  private final LongSupplier clock = System::nanoTime;
  private final long threadId;

  Driver() {
    threadId = loop.submit(() -> Thread.currentThread().threadId()).syncUninterruptibly().getNow();
  }

  Connections connect(InetSocketAddress address, int connectionsMax, RequestTemplate first) {
    return new Connections(loop, transport, address, connectionsMax, clock, first);
  }

  long nowNanos() {
    return clock.getAsLong();
  }

  /** Returns the CPU time that the loop's thread has used. */
  long cpuNanos() {
    return Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(threadId));
  }

  /** Starts a load, which completes on the loop. */
  Running start(
      Connections connections, RequestTemplate work, LoadSchedule load, long timeoutNanos) {
    var running = new Running(connections, load, timeoutNanos);
    loop.execute(
        () -> {
          connections.assign(work, running);
          running.tick();
        });
    return running;
  }

  /** Load that the driver's loop is generating. */
  final class Running implements Connections.Listener {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Connections connections;
    private final LoadSchedule load;
    private final long timeoutNanos;
    private volatile int endedSoFar;

    private Running(Connections connections, LoadSchedule load, long timeoutNanos) {
      this.connections = connections;
      this.load = load;
      this.timeoutNanos = timeoutNanos;
    }

    /**
     * Returns a future that completes when the load has ended; any thread may read its results
     * then.
     */
    CompletableFuture<Void> done() {
      return done;
    }

    /** Returns the number of ended requests, as of the last tick. */
    int endedSoFar() {
      return endedSoFar;
    }

    /** Ends the load at once. Pending requests are not counted. */
    void cut() {
      loop.execute(this::end);
    }

    private void tick() {
      if (done.isDone()) {
        return;
      }
      try {
        long nowNanos = clock.getAsLong();
        connections.expire(nowNanos, timeoutNanos);
        long dueNanos = load.sendDue(connections, nowNanos);
        endedSoFar = load.endedCount();
        if (load.isDone(nowNanos)) {
          end();
        } else {
          // Due times may be Long.MAX_VALUE: subtract only after the comparison.
          long atMost = nowNanos + TICK_NANOS_MAX;
          long until = Math.min(dueNanos, atMost) - clock.getAsLong();
          long delay = Math.clamp(until, TICK_NANOS_MIN, TICK_NANOS_MAX);
          loop.schedule(this::tick, delay, TimeUnit.NANOSECONDS);
        }
      } catch (RuntimeException e) {
        connections.abandonBusy();
        done.completeExceptionally(e);
      }
    }

    private void end() {
      if (!done.isDone()) {
        endedSoFar = load.endedCount();
        connections.abandonBusy();
        done.complete(null);
      }
    }

    @Override
    public void ended(long nowNanos) {
      load.ended(nowNanos);
      if (load.isDone(nowNanos)) {
        end();
      }
    }

    @Override
    public void freed(long nowNanos) {
      if (!done.isDone()) {
        load.sendDue(connections, nowNanos);
      }
    }

    @Override
    public void refused(long nowNanos) {
      load.refused(nowNanos);
      if (load.isDone(nowNanos)) {
        end();
      }
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
