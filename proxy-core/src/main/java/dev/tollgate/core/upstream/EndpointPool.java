package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import io.netty.channel.Channel;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pool of one event loop's connections to one provider endpoint. Loop-confined, except for the
 * counts that other loops read. The connection returned last is reused first, so that a quiet pool
 * shrinks.
 */
final class EndpointPool {
  private final EventLoop loop;
  private final Connector connector;
  private final EndpointConnections shared;
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<Acquisition> waiters = new ArrayDeque<>();
  private volatile int idleCount;
  private volatile int waiterCount;

  EndpointPool(EventLoop loop, Connector connector, EndpointConnections shared) {
    this.loop = loop;
    this.connector = connector;
    this.shared = shared;
    shared.addPool(this);
  }

  EndpointIdentity endpoint() {
    return shared.endpoint();
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

  /** Passes a lease to {@code whenDone}, before this returns if a connection is idle. */
  Acquisition acquire(
      PoolLimits limits, Duration connect, boolean fresh, Consumer<AcquisitionResult> whenDone) {
    assert loop.inEventLoop();
    var acquisition = new Acquisition(this, limits, connect, fresh, whenDone);
    UpstreamConnection reusable = fresh ? null : pollIdle();
    if (reusable != null) {
      acquisition.complete(new AcquisitionResult.Leased(lease(reusable, true)));
    } else if (shared.tryOpen(limits.connectionsMax())) {
      open(acquisition);
    } else if (shared.tryWait(limits.pendingMax())) {
      enqueue(acquisition);
    } else {
      acquisition.complete(new AcquisitionResult.PoolFull());
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
    // The pool's own bound: a full pool does not show the provider's health.
    acquisition.await(AcquisitionResult.PoolFull::new, () -> dequeue(acquisition));
    // A connection that was closed before the count of waiters was raised has notified no one here.
    openForWaiters();
    if (!waiters.isEmpty()) {
      shared.reclaimIdle();
    }
  }

  private void dequeue(Acquisition acquisition) {
    if (waiters.remove(acquisition)) {
      waiterCount = waiters.size();
      shared.pending().decrementAndGet();
    }
  }

  private void open(Acquisition acquisition) {
    var progress = new ConnectProgress();
    Future<Channel> opening =
        connector.connect(loop, shared.endpoint(), acquisition.remaining(), progress);
    acquisition.await(
        () -> new AcquisitionResult.TimedOut(progress.fault()), () -> opening.cancel(false));
    opening.addListener(
        (Future<Channel> done) -> {
          assert loop.inEventLoop();
          if (done.isSuccess()) {
            opened(done.getNow(), acquisition);
          } else {
            shared.closed();
            acquisition.complete(failed(done.cause(), progress));
          }
        });
  }

  private static AcquisitionResult failed(Throwable cause, ConnectProgress progress) {
    if (cause instanceof ConnectTimeoutException || cause instanceof CancellationException) {
      return new AcquisitionResult.TimedOut(progress.fault());
    }
    ConnectFault fault = ConnectFault.of(cause, progress.fault());
    return new AcquisitionResult.Unreachable(fault, fault.reason(cause));
  }

  private void opened(Channel channel, Acquisition acquisition) {
    var connection = new UpstreamConnection(channel, this);
    channel.closeFuture().addListener(closed -> gone(connection));
    if (!channel.isActive()) {
      ConnectFault closed = ConnectFault.CONNECT;
      acquisition.complete(
          new AcquisitionResult.Unreachable(
              closed, closed.wire() + ": closed as soon as it was open"));
      return;
    }
    connection.install();
    if (acquisition.isDone()) {
      release(connection); // the acquisition was canceled at this moment
    } else {
      acquisition.complete(new AcquisitionResult.Leased(lease(connection, false)));
    }
  }

  private Lease lease(UpstreamConnection connection, boolean reused) {
    shared.leased().incrementAndGet();
    return new Lease(connection, this, reused);
  }

  /** Counts unsolicited bytes. */
  void unsolicitedBytesReceived() {
    shared.unsolicitedBytesReceived();
  }

  /**
   * Takes back the connection of an ended lease; {@code reusable} is true if it may serve again.
   */
  void ended(UpstreamConnection connection, boolean reusable) {
    shared.leased().decrementAndGet();
    if (reusable) {
      release(connection);
    } else {
      connection.close();
    }
  }

  private void release(UpstreamConnection connection) {
    if (shared.isRetired() || !connection.isUsable()) {
      connection.close();
      return;
    }
    Acquisition waiter = waiters.peekFirst();
    if (waiter != null && !waiter.isFresh()) {
      dequeue(waiter);
      waiter.complete(new AcquisitionResult.Leased(lease(connection, true)));
    } else if (shared.pending().get() > 0) {
      connection.close(); // a request on another loop waits for a connection
    } else {
      connection.idleSince(nanoTime());
      idle.addLast(connection);
      idleCount = idle.size();
      // A request that began to wait meanwhile may not have seen the idle connection.
      if (shared.pending().get() > 0) {
        closeOldest();
      }
    }
  }

  private void closeOldest() {
    UpstreamConnection oldest = idle.pollFirst();
    idleCount = idle.size();
    if (oldest != null) {
      oldest.close();
    }
  }

  private void gone(UpstreamConnection connection) {
    assert loop.inEventLoop();
    idle.remove(connection);
    idleCount = idle.size();
    shared.closed();
  }

  /** Opens connections for waiters; called from any loop when a connection was closed. */
  void connectionSlotFreed() {
    if (waiterCount > 0) {
      loop.execute(this::openForWaiters);
    }
  }

  /** Opens connections for the first waiters up to the limit; the others stay in the queue. */
  private void openForWaiters() {
    for (Acquisition first = waiters.peekFirst();
        first != null && shared.tryOpen(first.limits().connectionsMax());
        first = waiters.peekFirst()) {
      dequeue(first);
      open(first);
    }
  }

  void closeOneIdle() {
    loop.execute(this::closeOldest);
  }

  /** Closes idle connections. */
  void retire() {
    loop.execute(() -> closeIdleSince(Long.MAX_VALUE));
  }

  /** Closes connections that were idle for longer than {@code idleMax}. */
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
}
