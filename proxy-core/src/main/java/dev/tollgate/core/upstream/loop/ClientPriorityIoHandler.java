package dev.tollgate.core.upstream.loop;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * I/O handler of an event loop that gives clients priority: events of client sockets are handled at
 * once, those of provider sockets are queued. After half a millisecond of queued events, or after
 * as long as the client events before took, the loop polls for client events again. So a loop that
 * is nearly saturated with streams answers a new request within one slice, and a flood of requests
 * leaves half of the loop's time to streams. The queue is as long as there are connections to
 * providers. Confined to its loop.
 */
public final class ClientPriorityIoHandler implements IoHandler {
  /**
   * Duration of a slice. Each poll costs a system call and reports every queued socket again: the
   * shorter the slice, the lower the throughput of a saturated loop.
   */
  static final long SLICE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final Logger LOG = LoggerFactory.getLogger(ClientPriorityIoHandler.class);
  private static final FastThreadLocal<@Nullable ClientPriorityIoHandler> CURRENT =
      new FastThreadLocal<>();

  private final IoHandler io;
  private final LongSupplier nanos;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();

  /** Registered sockets. */
  private final IdentityHashMap<IoHandle, LoopSocket> sockets = new IdentityHashMap<>();

  ClientPriorityIoHandler(IoHandler io, LongSupplier nanos) {
    this.io = io;
    this.nanos = nanos;
  }

  /** Returns a factory of I/O handlers that give clients priority, on top of epoll's or NIO's. */
  public static IoHandlerFactory on(IoHandlerFactory sockets) {
    return loop ->
        new ClientPriorityIoHandler(sockets.newHandler(loop), Ticker.systemTicker()::nanoTime);
  }

  /**
   * Queues the events of this connection from now on. Called on its loop once the connection is
   * registered; without effect on a loop with another I/O handler.
   */
  public static void deprioritize(Channel channel) {
    ClientPriorityIoHandler current = CURRENT.get();
    if (current != null && channel.unsafe() instanceof IoHandle handle) {
      current.deprioritize(handle);
    }
  }

  void deprioritize(IoHandle handle) {
    LoopSocket socket = sockets.get(handle);
    if (socket != null) {
      socket.deprioritize();
    }
  }

  /**
   * Runs a task on the calling loop after all events that are queued now; at once on a loop with
   * another I/O handler.
   */
  public static void executeQueued(Runnable task) {
    ClientPriorityIoHandler current = CURRENT.get();
    if (current == null) {
      task.run();
    } else {
      current.queue.add(task);
    }
  }

  @Override
  public void initialize() {
    CURRENT.set(this);
    io.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    if (queue.isEmpty()) {
      return io.run(context)
          + runSlice(SLICE_NANOS); // the poll may have slept: its duration does not count
    }
    long beganNanos = nanos.getAsLong();
    int clients = io.run(new NonBlockingContext(context));
    return clients + runSlice(Math.max(SLICE_NANOS, nanos.getAsLong() - beganNanos));
  }

  /**
   * Handles queued events for a slice, which is at least half of the time, so that streams continue
   * in a flood of requests.
   */
  private int runSlice(long sliceNanos) {
    if (queue.isEmpty()) {
      return 0;
    }
    int handled = 0;
    long beganNanos = nanos.getAsLong();
    Runnable next = queue.poll();
    while (next != null) {
      handle(next);
      handled++;
      next = nanos.getAsLong() - beganNanos < sliceNanos ? queue.poll() : null;
    }
    return handled;
  }

  /** Handles one event; an error that escaped would end the loop and all its connections. */
  private static void handle(Runnable next) {
    try {
      next.run();
    } catch (Throwable unexpected) {
      LOG.error("a queued socket event failed", unexpected);
    }
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    LoopSocket socket = socket(handle);
    sockets.put(handle, socket); // the transport may report at once that it is registered
    try {
      return io.register(socket);
    } catch (Exception failed) {
      sockets.remove(handle);
      throw failed;
    }
  }

  private LoopSocket socket(IoHandle handle) {
    return switch (handle) {
      case EpollIoHandle socket -> new EpollLoopSocket(socket, queue::add, sockets::remove);
      case NioIoHandle socket -> new NioLoopSocket(socket, queue::add, sockets::remove);
      case IoHandle other -> throw new IllegalArgumentException("no socket: " + other);
    };
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return io.isCompatible(handleType);
  }

  @Override
  public void wakeup() {
    io.wakeup();
  }

  @Override
  public void prepareToDestroy() {
    io.prepareToDestroy();
  }

  @Override
  public void destroy() {
    CURRENT.remove();
    queue.clear();
    io.destroy();
    sockets.clear();
  }

  /** Context that never lets the loop sleep while events are queued. */
  private record NonBlockingContext(IoHandlerContext context) implements IoHandlerContext {
    @Override
    public boolean canBlock() {
      return false;
    }

    @Override
    public long delayNanos(long nowNanos) {
      return 0;
    }

    @Override
    public long deadlineNanos() {
      return context.deadlineNanos();
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
      context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
      return context.shouldReportActiveIoTime();
    }
  }
}
