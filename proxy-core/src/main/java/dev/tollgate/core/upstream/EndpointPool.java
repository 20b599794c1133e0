package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.Provider.PoolLimits;
import io.netty.channel.Channel;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One loop's connections to one endpoint. Loop-confined, except for the idle count that other loops
 * read. Connections are reused last in, first out, so that a quiet pool shrinks.
 */
final class EndpointPool {
  private final EventLoop loop;
  private final Connector connector;
  private final EndpointConnections shared;
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Acquisition> waiters = new ArrayDeque<>();
  private volatile int idleCount;
  private volatile int waiterCount;
  private boolean retired;

  EndpointPool(EventLoop loop, Connector connector, EndpointConnections shared) {
    this.loop = loop;
    this.connector = connector;
    this.shared = shared;
    shared.join(this);
  }

  EventLoop loop() {
    return loop;
  }

  int idleCount() {
    return idleCount;
  }

  long nanoTime() {
    return loop.ticker().nanoTime();
  }

  /** Hands a lease to {@code whenDone}, at once where a connection is idle. */
  Acquisition acquire(
      PoolLimits limits, Duration connect, boolean fresh, Consumer<Acquired> whenDone) {
    assert loop.inEventLoop();
    retired = false;
    var acquisition = new Acquisition(this, limits, connect, whenDone);
    UpstreamConnection reusable = fresh ? null : pollIdle();
    if (reusable != null) {
      acquisition.complete(new Acquired.Leased(lease(reusable, true)));
    } else if (shared.tryOpen(limits.connectionsMax())) {
      open(acquisition);
    } else if (shared.tryWait(limits.pendingMax())) {
      enqueue(acquisition);
      shared.askForPlace();
    } else {
      acquisition.complete(new Acquired.PoolFull());
    }
    return acquisition;
  }

  private @Nullable UpstreamConnection pollIdle() {
    while (true) {
      UpstreamConnection connection = idle.pollLast();
      idleCount = idle.size();
      if (connection == null || connection.isUsable()) {
        return connection;
      }
      connection.close();
    }
  }

  private void enqueue(Acquisition acquisition) {
    waiters.add(acquisition);
    waiterCount = waiters.size();
    acquisition.startClock(() -> {});
  }

  private void open(Acquisition acquisition) {
    Future<Channel> opening =
        connector.connect(loop, shared.endpoint(), acquisition.remaining(nanoTime()));
    acquisition.startClock(() -> opening.cancel(false));
    opening.addListener(
        (Future<Channel> done) -> {
          assert loop.inEventLoop();
          if (done.isSuccess()) {
            opened(done.getNow(), acquisition);
          } else {
            shared.closed();
            acquisition.complete(
                isTimeout(done.cause())
                    ? new Acquired.TimedOut()
                    : new Acquired.Unreachable(String.valueOf(done.cause())));
          }
        });
  }

  private static boolean isTimeout(Throwable cause) {
    return cause instanceof ConnectTimeoutException || cause instanceof CancellationException;
  }

  private void opened(Channel channel, Acquisition acquisition) {
    var connection = new UpstreamConnection(channel, this);
    channel.closeFuture().addListener(closed -> gone(connection));
    connection.install();
    if (acquisition.isDone()) {
      // The requester left while we connected: the next one is glad of a warm connection.
      giveBack(connection);
    } else {
      acquisition.complete(new Acquired.Leased(lease(connection, false)));
    }
  }

  private Lease lease(UpstreamConnection connection, boolean reused) {
    shared.leased().incrementAndGet();
    return new Lease(connection, this, reused);
  }

  /** A lease ended; {@code reusable} says whether its connection may serve again. */
  void ended(UpstreamConnection connection, boolean reusable) {
    shared.leased().decrementAndGet();
    if (reusable) {
      giveBack(connection);
    } else {
      connection.close();
    }
  }

  private void giveBack(UpstreamConnection connection) {
    if (retired || !connection.isUsable()) {
      connection.close();
      return;
    }
    Acquisition waiter = pollWaiter();
    if (waiter != null) {
      waiter.complete(new Acquired.Leased(lease(connection, true)));
      return;
    }
    connection.idleSince(nanoTime());
    idle.addLast(connection);
    idleCount = idle.size();
  }

  private @Nullable Acquisition pollWaiter() {
    while (true) {
      Acquisition waiter = waiters.pollFirst();
      waiterCount = waiters.size();
      if (waiter == null) {
        return null;
      }
      shared.pending().decrementAndGet();
      if (!waiter.isDone()) {
        return waiter;
      }
    }
  }

  private void gone(UpstreamConnection connection) {
    assert loop.inEventLoop();
    idle.remove(connection);
    idleCount = idle.size();
    shared.closed();
  }

  /** Called from any loop when a place became free. */
  void offerPlace() {
    if (waiterCount > 0) {
      loop.execute(this::openForWaiter);
    }
  }

  private void openForWaiter() {
    Acquisition waiter = pollWaiter();
    if (waiter == null) {
      return;
    }
    if (shared.tryOpen(waiter.limits().connectionsMax())) {
      open(waiter);
    } else {
      shared.pending().incrementAndGet();
      waiters.addFirst(waiter);
      waiterCount = waiters.size();
    }
  }

  void giveUpOne() {
    loop.execute(
        () -> {
          UpstreamConnection oldest = idle.pollFirst();
          idleCount = idle.size();
          if (oldest != null) {
            oldest.close();
          }
        });
  }

  void retire() {
    loop.execute(
        () -> {
          retired = true;
          closeIdleSince(Long.MAX_VALUE);
        });
  }

  /** Closes connections that have idled for longer than {@code idleMax}. */
  void sweep(Duration idleMax) {
    assert loop.inEventLoop();
    closeIdleSince(nanoTime() - idleMax.toNanos());
  }

  private void closeIdleSince(long bound) {
    while (true) {
      UpstreamConnection oldest = idle.peekFirst();
      if (oldest == null || (bound != Long.MAX_VALUE && oldest.idleSince() - bound > 0)) {
        return;
      }
      idle.pollFirst();
      idleCount = idle.size();
      oldest.close();
    }
  }

  void schedule(Runnable task, long delayNanos, Acquisition acquisition) {
    acquisition.clock(loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS));
  }
}
