package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.RequestFlowControl;
import dev.tollgate.core.pipeline.ClientConnection.ConnectionPhase;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code deadlines}: closes a connection whose client is idle, or too slow to send a head
 * or a body or to receive its reply. There is one timer per connection, which usual requests never
 * touch: it checks the phase when it fires, and is set again for the rest.
 */
final class DeadlinesHandler extends ChannelInboundHandlerAdapter implements Runnable {
  private static final long NANOS_PER_BODY_BYTE = 1_000_000_000L / 1024; // 1 KiB/s at least

  /** A client that receives anything within this time is slow, but not stalled. */
  private static final long STALLED_AFTER_NANOS = 1_000_000_000L;

  /** Number of checks of a reader's progress within the write stall. */
  private static final int CHECKS_PER_STALL = 4;

  private final ClientConnection connection;
  private final RequestFlowControl decoder;
  private final RequestIdAssigner idAssigner;
  private final long headerNanos;
  private final long bodyNanos;
  private final long stallNanos;
  private final long idleNanos;

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> timer;
  private long timerAtNanos;
  private long lastProgressNanos;
  private long pendingBytes;

  DeadlinesHandler(
      ClientConnection connection,
      RequestFlowControl decoder,
      RequestIdAssigner idAssigner,
      GatewayOptions options) {
    this.connection = connection;
    this.decoder = decoder;
    this.idAssigner = idAssigner;
    this.headerNanos = options.headerTimeout().toNanos();
    this.bodyNanos = options.bodyTimeout().toNanos();
    this.stallNanos = options.writeStall().toNanos();
    this.idleNanos = options.idleTimeout().toNanos();
  }

  @Override
  public void channelActive(ChannelHandlerContext handlerContext) {
    ctx = handlerContext;
    lastProgressNanos = now();
    connection.connected(now());
    armFor(due());
    handlerContext.fireChannelActive();
  }

  // A head may have been received with an earlier read, if the client sent requests ahead.

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Received) {
      armFor(due());
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.NEXT_REQUEST_UNDERWAY) {
      beginHeadUnderway();
    } else if (event == ConnectionEvent.LAST_REPLY_PENDING) {
      watch(ctx.channel(), true);
    } else if (event instanceof StalledStreams.StallQuery query) {
      if (isStalled()) {
        query.add(ctx.channel(), pendingBytes);
      }
    } else if (event instanceof StalledStreams.Reset reset) {
      if (isStalled()) {
        reset.counted().increment();
        ctx.fireUserEventTriggered(ConnectionEvent.STREAM_SHED);
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void beginHeadUnderway() {
    if (connection.phase() == ConnectionPhase.IDLE && decoder.isHeadUnderway()) {
      connection.headBegun(now());
      armFor(due());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    switch (connection.phase()) {
      case IDLE -> beginHeadUnderway();
      case HEAD, BODY, DROPPING -> armFor(due());
      case WORK, CLOSING, CLOSED -> {}
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    watch(ctx.channel(), !ctx.channel().isWritable());
    ctx.fireChannelWritabilityChanged();
  }

  private void watch(Channel channel, boolean pendingWrites) {
    lastProgressNanos = now();
    pendingBytes = SocketProgress.pendingBytes(channel);
    if (pendingWrites) {
      armFor(nextCheck());
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    ctx.fireChannelInactive();
  }

  /** Expires the connection, or sets the timer again if the connection made progress. */
  @Override
  public void run() {
    timer = null;
    long dueNanos = due();
    if (dueNanos - now() > 0) {
      armFor(hasPendingWrites() ? earlier(dueNanos, nextCheck()) : dueNanos);
    } else {
      expire();
    }
  }

  /** True if the client of a stream received nothing for a while, though bytes are queued. */
  private boolean isStalled() {
    return connection.phase() == ConnectionPhase.WORK
        && connection.isAwaitingReply()
        && !context().channel().isWritable()
        && stallDue() - stallNanos + STALLED_AFTER_NANOS - now() <= 0;
  }

  private boolean hasPendingWrites() {
    return connection.phase() == ConnectionPhase.CLOSING || !context().channel().isWritable();
  }

  private long nextCheck() {
    return now() + stallNanos / CHECKS_PER_STALL;
  }

  private long due() {
    long phaseDue = phaseDue();
    if (context().channel().isWritable()) {
      return phaseDue;
    }
    return connection.phase() == ConnectionPhase.CLOSING ? phaseDue : earlier(phaseDue, stallDue());
  }

  private long phaseDue() {
    long since = connection.phaseSinceNanos();
    return switch (connection.phase()) {
      case IDLE -> since + (connection.hasServed() ? keepAliveNanos() : headerNanos);
      case HEAD -> since + headerNanos;
      case BODY, DROPPING -> since + bodyNanos + connection.requestBytes() * NANOS_PER_BODY_BYTE;
      case CLOSING -> later(since + stallNanos, stallDue()); // whatever the rest takes
      case WORK, CLOSED -> now() + keepAliveNanos(); // the exchange has its own timeouts
    };
  }

  /**
   * Returns the time until the next request; only a client with a key may keep a connection long.
   */
  private long keepAliveNanos() {
    return connection.isProved() ? idleNanos : Math.min(headerNanos, idleNanos);
  }

  // Compared with the last check, not with the first: bytes queued since then, such as the rest of
  // the reply that made the channel unwritable, would hide progress for long.
  private long stallDue() {
    Channel channel = context().channel();
    long pending = SocketProgress.pendingBytes(channel);
    if (pending < pendingBytes) {
      lastProgressNanos = now();
    } else {
      lastProgressNanos =
          later(lastProgressNanos, SocketProgress.lastSentNanos(channel, now(), lastProgressNanos));
    }
    pendingBytes = pending;
    return lastProgressNanos + stallNanos;
  }

  private void expire() {
    ChannelHandlerContext slow = context();
    switch (connection.phase()) {
      case HEAD -> {
        idAssigner.receiveWithoutHead(Headers.EMPTY, now());
        connection.refuseAs(RequestOutcome.CLIENT_SLOW);
        var _ = slow.close();
      }
      case BODY -> {
        connection.refuseAs(RequestOutcome.CLIENT_SLOW);
        var _ = slow.close();
      }
      case WORK -> slow.fireUserEventTriggered(ConnectionEvent.CLIENT_STALLED);
      case IDLE, DROPPING, CLOSING, CLOSED -> {
        var _ = slow.close();
      }
    }
  }

  private void armFor(long dueNanos) {
    if (timer != null) {
      if (timerAtNanos - dueNanos <= 0) {
        return;
      }
      timer.cancel(false);
    }
    timerAtNanos = dueNanos;
    timer = context().executor().schedule(this, Math.max(0, dueNanos - now()), NANOSECONDS);
  }

  private static long earlier(long oneNanos, long otherNanos) {
    return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
  }

  private static long later(long oneNanos, long otherNanos) {
    return oneNanos - otherNanos > 0 ? oneNanos : otherNanos;
  }

  private long now() {
    return context().executor().ticker().nanoTime();
  }

  private ChannelHandlerContext context() {
    if (ctx == null) {
      throw new IllegalStateException("not in a pipeline");
    }
    return ctx;
  }
}
