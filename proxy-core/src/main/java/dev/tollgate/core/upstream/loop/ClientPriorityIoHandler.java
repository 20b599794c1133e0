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
 * The order of work on an event loop: what a client sends is handled at once, what providers send
 * waits in a line, and the loop looks for clients again after half a millisecond of the line, or
 * after as long as it took to read what clients sent. So a loop that is all but full with streams
 * answers a new request within a turn, and not behind everybody's next piece, and a flood of
 * requests leaves streams half of the loop's time for sockets. The line is as long as there are
 * connections to providers. Confined to its loop.
 */
public final class ClientPriorityIoHandler implements IoHandler {
  /**
   * A look costs a system call, and for who waits in line a report once more: the shorter the turn,
   * the less a full loop passes on.
   */
  static final long SLICE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final Logger log = LoggerFactory.getLogger(ClientPriorityIoHandler.class);
  private static final FastThreadLocal<@Nullable ClientPriorityIoHandler> CURRENT =
      new FastThreadLocal<>();

  private final IoHandler io;
  private final LongSupplier nanos;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();

  /** Those that are registered. */
  private final IdentityHashMap<IoHandle, LoopSocket> sockets = new IdentityHashMap<>();

  ClientPriorityIoHandler(IoHandler io, LongSupplier nanos) {
    this.io = io;
    this.nanos = nanos;
  }

  /** Event loops that drive these sockets, of epoll or NIO, in this order. */
  public static IoHandlerFactory on(IoHandlerFactory sockets) {
    return loop ->
        new ClientPriorityIoHandler(sockets.newHandler(loop), Ticker.systemTicker()::nanoTime);
  }

  /**
   * What arrives on this connection waits in line from now on. Called on its loop once it is
   * registered; without effect on a loop that has no line.
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
   * Runs this on the loop that calls when all had their turn who wait in its line; at once on a
   * loop that has none.
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
          + runSlice(SLICE_NANOS); // it may have slept: how long it took says nothing
    }
    long beganNanos = nanos.getAsLong();
    int clients = io.run(new NonBlockingContext(context));
    return clients + runSlice(Math.max(SLICE_NANOS, nanos.getAsLong() - beganNanos));
  }

  /** The line has half of the time at least, however many clients ask: streams go on in a flood. */
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

  /** An error that got out of here would end the loop, and all that it serves. */
  private static void handle(Runnable next) {
    try {
      next.run();
    } catch (Throwable unexpected) {
      log.error("what waited in line was not handled", unexpected);
    }
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    LoopSocket socket = socket(handle);
    sockets.put(handle, socket); // the transport may say at once that it is registered
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

  /** Lets nobody in line wait for a loop that sleeps. */
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
