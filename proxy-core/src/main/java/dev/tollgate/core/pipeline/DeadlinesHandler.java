package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.tollgate.core.exchange.Ending;
import dev.tollgate.core.http.Turn;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose client is too slow: with a head, with a body, with taking its reply, or
 * with asking for anything. One timer per connection, and in the usual course of requests nobody
 * touches it: it looks at the phase when it fires, and is set anew for what is left.
 */
final class DeadlinesHandler extends ChannelInboundHandlerAdapter implements Runnable {
  private static final long NANOS_PER_BODY_BYTE = 1_000_000_000L / 1024; // 1 KiB/s at least

  private final Conversation conversation;
  private final Turn turn;
  private final Naming naming;
  private final long headerNanos;
  private final long bodyNanos;
  private final long stallNanos;
  private final long idleNanos;

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> timer;
  private long timerAtNanos;
  private long stalledSinceNanos;
  private long stalledBytes;

  DeadlinesHandler(Conversation conversation, Turn turn, Naming naming, GatewayOptions options) {
    this.conversation = conversation;
    this.turn = turn;
    this.naming = naming;
    this.headerNanos = options.headerTimeout().toNanos();
    this.bodyNanos = options.bodyTimeout().toNanos();
    this.stallNanos = options.writeStall().toNanos();
    this.idleNanos = options.idleTimeout().toNanos();
  }

  @Override
  public void channelActive(ChannelHandlerContext handlerContext) {
    ctx = handlerContext;
    conversation.connected(now());
    armFor(due());
    handlerContext.fireChannelActive();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    switch (conversation.phase()) {
      case IDLE -> {
        if (turn.isHeadUnderway()) {
          conversation.headBegun(now());
          armFor(due());
        }
      }
      case HEAD, BODY, DROPPING -> armFor(due());
      case WORK, CLOSING, CLOSED -> {}
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      stalledSinceNanos = now();
      stalledBytes = ctx.channel().bytesBeforeWritable();
      armFor(stalledSinceNanos + stallNanos);
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    ctx.fireChannelInactive();
  }

  /** The timer fired: late enough, or too early because things went on meanwhile? */
  @Override
  public void run() {
    timer = null;
    long dueNanos = due();
    if (dueNanos - now() > 0) {
      armFor(dueNanos);
    } else {
      expire();
    }
  }

  private long due() {
    long phaseDue = phaseDue();
    if (context().channel().isWritable()) {
      return phaseDue;
    }
    long stallDue = stallDue();
    return stallDue - phaseDue < 0 ? stallDue : phaseDue;
  }

  private long phaseDue() {
    long since = conversation.phaseSinceNanos();
    return switch (conversation.phase()) {
      case IDLE -> since + (conversation.hasServed() ? idleNanos : headerNanos);
      case HEAD -> since + headerNanos;
      case BODY, DROPPING -> since + bodyNanos + conversation.requestBytes() * NANOS_PER_BODY_BYTE;
      case CLOSING -> since + stallNanos;
      case WORK, CLOSED -> now() + idleNanos; // the exchange has clocks of its own
    };
  }

  private long stallDue() {
    Channel channel = context().channel();
    long left = channel.bytesBeforeWritable();
    if (left < stalledBytes || SocketProgress.isSending(channel, stallNanos)) {
      stalledSinceNanos = now();
    }
    stalledBytes = left;
    return stalledSinceNanos + stallNanos;
  }

  private void expire() {
    ChannelHandlerContext slow = context();
    switch (conversation.phase()) {
      case HEAD -> {
        naming.receiveNothing(now());
        conversation.refuseAs(Ending.CLIENT_SLOW);
        var _ = slow.close();
      }
      case BODY -> {
        conversation.refuseAs(Ending.CLIENT_SLOW);
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
