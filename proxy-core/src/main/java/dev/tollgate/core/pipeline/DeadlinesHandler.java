package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.tollgate.core.exchange.Ending;
import dev.tollgate.core.http.Turn;
import dev.tollgate.core.pipeline.Conversation.Phase;
import dev.tollgate.core.pipeline.Progress.Received;
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

  /** A client that takes anything within that is slow, and does not stand still. */
  private static final long STANDSTILL_NANOS = 1_000_000_000L;

  /** How often a client that must take its reply is looked at, within the time it has for that. */
  private static final int LOOKS_PER_STALL = 4;

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
  private long takenAtNanos;
  private long untakenBytes;

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
    takenAtNanos = now();
    conversation.connected(now());
    armFor(due());
    handlerContext.fireChannelActive();
  }

  // Not every head comes with a read of the socket: a client may have sent it ahead.

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Received) {
      armFor(due());
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.NEXT_TURN) {
      beginHeadUnderway();
    } else if (event == ConnectionEvent.LAST_REPLY_WAITS) {
      watch(ctx.channel(), true);
    } else if (event instanceof StalledStreams.Census census) {
      if (standsStill()) {
        census.add(ctx.channel(), untakenBytes);
      }
    } else if (event instanceof StalledStreams.Reset reset) {
      if (standsStill()) {
        reset.counted().increment();
        ctx.fireUserEventTriggered(ConnectionEvent.STREAM_SHED);
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void beginHeadUnderway() {
    if (conversation.phase() == Phase.IDLE && turn.isHeadUnderway()) {
      conversation.headBegun(now());
      armFor(due());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    switch (conversation.phase()) {
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

  private void watch(Channel channel, boolean mustTake) {
    takenAtNanos = now();
    untakenBytes = SocketProgress.untakenBytes(channel);
    if (mustTake) {
      armFor(nextLook());
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

  /** The timer fired: late enough, or too early because things went on meanwhile? */
  @Override
  public void run() {
    timer = null;
    long dueNanos = due();
    if (dueNanos - now() > 0) {
      armFor(mustTake() ? earlier(dueNanos, nextLook()) : dueNanos);
    } else {
      expire();
    }
  }

  /**
   * Whether the client of a stream took nothing for a while, though there was something to take.
   */
  private boolean standsStill() {
    return conversation.phase() == Phase.WORK
        && conversation.isAwaitingReply()
        && !context().channel().isWritable()
        && stallDue() - stallNanos + STANDSTILL_NANOS - now() <= 0;
  }

  private boolean mustTake() {
    return conversation.phase() == Phase.CLOSING || !context().channel().isWritable();
  }

  private long nextLook() {
    return now() + stallNanos / LOOKS_PER_STALL;
  }

  private long due() {
    long phaseDue = phaseDue();
    if (context().channel().isWritable()) {
      return phaseDue;
    }
    return conversation.phase() == Phase.CLOSING ? phaseDue : earlier(phaseDue, stallDue());
  }

  private long phaseDue() {
    long since = conversation.phaseSinceNanos();
    return switch (conversation.phase()) {
      case IDLE -> since + (conversation.hasServed() ? idleNanos : headerNanos);
      case HEAD -> since + headerNanos;
      case BODY, DROPPING -> since + bodyNanos + conversation.requestBytes() * NANOS_PER_BODY_BYTE;
      case CLOSING -> later(since + stallNanos, stallDue()); // however long the rest takes
      case WORK, CLOSED -> now() + idleNanos; // the exchange has clocks of its own
    };
  }

  // Compared with the last look, not with the first: what was queued since then, such as the rest
  // of the reply that made the channel unwritable, would hide for long what was taken.
  private long stallDue() {
    Channel channel = context().channel();
    long untaken = SocketProgress.untakenBytes(channel);
    if (untaken < untakenBytes) {
      takenAtNanos = now();
    } else {
      takenAtNanos = later(takenAtNanos, SocketProgress.sentAtNanos(channel, now(), takenAtNanos));
    }
    untakenBytes = untaken;
    return takenAtNanos + stallNanos;
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
