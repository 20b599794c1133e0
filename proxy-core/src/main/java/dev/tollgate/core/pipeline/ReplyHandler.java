package dev.tollgate.core.pipeline;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;

import dev.tollgate.core.exchange.Ending;
import dev.tollgate.core.exchange.Observer;
import dev.tollgate.core.exchange.Reply;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.Turn;
import dev.tollgate.core.pipeline.Conversation.Phase;
import dev.tollgate.core.pipeline.Progress.Received;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns each {@link Reply} into HTTP/1.1 and decides what becomes of the connection behind it: the
 * next request, the rest of a body that nobody wants, or the end. All handlers below answer through
 * it, writing with the void promise.
 */
final class ReplyHandler extends ChannelDuplexHandler {
  /** As much of a refused request's body is still read, so that its connection can live on. */
  private static final int REST_BYTES_MAX = 64 * 1024;

  private final Conversation conversation;
  private final Turn turn;
  private final ReplyWriter writer;
  private final Observer observer;
  private final BooleanSupplier draining;
  private final ClosingLinger linger;

  /** What was begun and has no end yet. */
  private enum Open {
    NOTHING,
    EVENTS,
    BYTES,
    FILE
  }

  private boolean bodyEnded;
  private int restBytes;
  private Reply.@Nullable Refused waiting;
  private boolean turnDue;
  private Open open = Open.NOTHING;
  private int fileStatus;
  private long fileBytes;
  private boolean closes;
  private @Nullable ChannelPromise lastWrite;

  ReplyHandler(
      Conversation conversation,
      Turn turn,
      ReplyWriter writer,
      Observer observer,
      BooleanSupplier draining,
      RefusedBodies bodies) {
    this.conversation = conversation;
    this.turn = turn;
    this.writer = writer;
    this.observer = observer;
    this.draining = draining;
    this.linger = new ClosingLinger(turn, bodies);
  }

  // What comes in

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (waiting != null || conversation.isAnswered()) {
      drop(ctx, message);
      return;
    }
    switch (message) {
      case ByteBuf piece -> conversation.bodyCame(piece.readableBytes());
      case BodyEnd _ -> {
        bodyEnded = true;
        conversation.bodyEnded(now(ctx));
      }
      default -> {}
    }
    ctx.fireChannelRead(message);
  }

  /** The rest of a body whose request is refused already. */
  private void drop(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case ByteBuf piece -> {
        restBytes += piece.readableBytes();
        piece.release();
        if (waiting != null && restBytes > REST_BYTES_MAX) {
          answerWaiting(ctx);
        } else {
          ctx.read();
        }
      }
      case BodyEnd _ -> {
        bodyEnded = true;
        if (waiting != null) {
          answerWaiting(ctx);
        } else {
          turnOver(ctx);
        }
      }
      case BadRequest _ -> {
        if (waiting != null) {
          answerWaiting(ctx);
        } else {
          endBehindAll(ctx);
        }
      }
      default -> ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    linger.over();
    waiting = null;
    Progress left = conversation.progress();
    if (left != null && conversation.isAwaitingReply() && !conversation.isHandedOver()) {
      Ending ending =
          conversation.refusedAs() == Ending.REJECTED
              ? Ending.CLIENT_ABORT
              : conversation.refusedAs();
      boolean begun = open == Open.FILE;
      observer.ended(
          EarlyRecord.of(
              left,
              ending,
              begun ? fileStatus : 0,
              null,
              now(ctx),
              conversation.requestBytes(),
              begun ? fileBytes : 0));
    }
    conversation.closed(now(ctx));
    ctx.fireChannelInactive();
  }

  // What goes out

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    assert promise.isVoid() : "replies are written with the void promise";
    switch (message) {
      case Interim interim -> {
        writer.interim(ctx, interim);
        conversation.continueSent();
      }
      case Reply reply -> {
        Progress progress = conversation.progress();
        if (progress == null || !conversation.isAwaitingReply() || waiting != null) {
          discard(reply);
        } else {
          answerOrDiscard(ctx, progress.received(), reply);
        }
      }
      default -> {
        var _ = ctx.write(message, promise);
      }
    }
  }

  /** A reply whose head or frame finds no room is still ours; its connection is closed. */
  private void answerOrDiscard(ChannelHandlerContext ctx, Received request, Reply reply) {
    try {
      answer(ctx, request, reply);
    } catch (OutOfMemoryError noRoom) {
      discard(reply);
      throw noRoom;
    }
  }

  private void answer(ChannelHandlerContext ctx, Received request, Reply reply) {
    switch (reply) {
      case Reply.Whole whole -> {
        closes = mustClose(request);
        int bytes = writer.whole(ctx, request, whole, closes, last(ctx));
        finish(ctx, whole.status(), null, bytes);
      }
      case Reply.Refused refused -> {
        switch (open) {
          case EVENTS -> {
            int bytes = writer.failure(ctx, request, refused);
            endStream(ctx, request, refused.fault().code(), bytes);
          }
          case BYTES, FILE -> cut(ctx, request, refused.fault().code());
          case NOTHING -> refuseAtOnceOrSoon(ctx, request, refused);
        }
      }
      case Reply.Opened opened -> {
        begin(request, Open.EVENTS);
        writer.opened(ctx, request, opened, closes);
      }
      case Reply.OpenedBytes opened -> {
        begin(request, Open.BYTES);
        writer.openedBytes(ctx, request, opened, closes);
      }
      case Reply.OpenedFile opened -> {
        begin(request, Open.FILE);
        fileStatus = opened.status();
        fileBytes = 0;
        writer.openedFile(ctx, request, opened, closes);
      }
      case Reply.Piece piece when open == Open.FILE -> {
        fileBytes += piece.events().readableBytes();
        var _ = ctx.write(piece.events(), ctx.voidPromise());
      }
      case Reply.Piece piece -> writer.piece(ctx, request, piece.events());
      case Reply.Ended _ when open == Open.FILE -> endFile(ctx, request);
      case Reply.Ended _ -> endStream(ctx, request, null, 0);
    }
  }

  private void begin(Received request, Open what) {
    open = what;
    closes = mustClose(request) || (what != Open.FILE && request.head().minorVersion() == 0);
  }

  /**
   * Ends a body so that nobody takes it for whole: its last chunk is left out, and where only the
   * connection's end delimits it, that is a reset.
   */
  private void cut(ChannelHandlerContext ctx, Received request, ErrorCode code) {
    closes = true;
    if (request.head().minorVersion() == 0) {
      ctx.channel().config().setOption(ChannelOption.SO_LINGER, 0);
      ctx.write(EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    } else {
      var _ = ctx.write(EMPTY_BUFFER, last(ctx));
    }
    boolean isFile = open == Open.FILE;
    finish(ctx, isFile ? fileStatus : 200, code, isFile ? fileBytes : 0);
  }

  private void refuseAtOnceOrSoon(
      ChannelHandlerContext ctx, Received request, Reply.Refused refused) {
    if (mayEndInHand(request)) {
      awaitBodyInHand(ctx, refused);
    } else {
      refuse(ctx, request, refused);
    }
  }

  private void refuse(ChannelHandlerContext ctx, Received request, Reply.Refused refused) {
    closes = mustClose(request);
    int bytes = writer.refused(ctx, request, refused, closes, last(ctx));
    finish(ctx, refused.fault().code().status(), refused.fault().code(), bytes);
  }

  private void endStream(
      ChannelHandlerContext ctx, Received request, @Nullable ErrorCode code, int bytes) {
    closes |= mustClose(request);
    writer.ended(ctx, request, last(ctx));
    finish(ctx, 200, code, bytes);
  }

  /** The length in its head ends it. */
  private void endFile(ChannelHandlerContext ctx, Received request) {
    closes |= mustClose(request);
    var _ = ctx.write(EMPTY_BUFFER, last(ctx));
    finish(ctx, fileStatus, null, fileBytes);
  }

  private boolean mustClose(Received request) {
    if (!request.head().keepAlive() || draining.getAsBoolean()) {
      return true;
    }
    if (!turn.mayContinue() || conversation.isDistrusted()) {
      return true;
    }
    return !bodyEnded
        && turn.bodyBytesLeft() > 0
        && (turn.bodyBytesLeft() > REST_BYTES_MAX || conversation.isContinueOwed());
  }

  /** Only a write whose end matters gets a promise of its own. */
  private ChannelPromise last(ChannelHandlerContext ctx) {
    if (!closes) {
      return ctx.voidPromise();
    }
    ChannelPromise promise = ctx.newPromise();
    lastWrite = promise;
    return promise;
  }

  private void finish(ChannelHandlerContext ctx, int status, @Nullable ErrorCode code, long bytes) {
    Progress progress = conversation.progress();
    if (progress != null && !conversation.isHandedOver()) {
      boolean isFine = code == null && status < 400;
      Ending ending = isFine ? Ending.OK : conversation.refusedAs();
      long requestBytes = conversation.requestBytes();
      observer.ended(EarlyRecord.of(progress, ending, status, code, now(ctx), requestBytes, bytes));
    }
    open = Open.NOTHING;
    Phase next = closes ? Phase.CLOSING : bodyEnded ? Phase.WORK : Phase.DROPPING;
    conversation.answered(next, now(ctx));
  }

  private static void discard(Reply reply) {
    switch (reply) {
      case Reply.Whole whole -> whole.body().release();
      case Reply.Piece piece -> piece.events().release();
      case Reply.Refused _,
          Reply.Opened _,
          Reply.OpenedBytes _,
          Reply.OpenedFile _,
          Reply.Ended _ -> {}
    }
  }

  // A chunked body whose end has arrived already need not cost the connection

  private boolean mayEndInHand(Received request) {
    return !bodyEnded
        && turn.bodyBytesLeft() == Long.MAX_VALUE
        && !conversation.isContinueOwed()
        && turn.mayContinue()
        && request.head().keepAlive();
  }

  private void awaitBodyInHand(ChannelHandlerContext ctx, Reply.Refused refused) {
    waiting = refused;
    restBytes = 0;
    ctx.read();
    ctx.executor().execute(() -> answerWaiting(ctx)); // when all that is in hand was seen
  }

  private void answerWaiting(ChannelHandlerContext ctx) {
    Reply.Refused refused = waiting;
    Progress progress = conversation.progress();
    waiting = null;
    if (refused != null && progress != null) {
      refuse(ctx, progress.received(), refused);
      flush(ctx);
    }
  }

  // Behind the reply

  @Override
  public void flush(ChannelHandlerContext ctx) {
    ctx.flush();
    if (!conversation.isAnswered()) {
      return;
    }
    if (lastWrite != null) {
      ChannelPromise written = lastWrite;
      lastWrite = null;
      end(ctx, written);
    } else if (conversation.phase() == Phase.DROPPING) {
      ctx.read();
    } else if (conversation.phase() == Phase.WORK) {
      turnOver(ctx);
    }
  }

  private void end(ChannelHandlerContext ctx, ChannelFuture written) {
    linger.begin(ctx, written, conversation.isContinueOwed() ? 0 : turn.bodyBytesLeft());
    if (!written.isDone()) {
      ctx.fireUserEventTriggered(ConnectionEvent.LAST_REPLY_WAITS);
    }
  }

  private void turnOver(ChannelHandlerContext ctx) {
    turnDue = !ctx.channel().isWritable();
    if (turnDue) {
      return; // who does not take replies gets no further ones
    }
    bodyEnded = false;
    conversation.over(now(ctx));
    if (turn.mayContinue() && !draining.getAsBoolean()) {
      turn.nextRequest();
      ctx.read();
      if (conversation.phase() == Phase.IDLE && turn.isHeadUnderway()) {
        ctx.fireUserEventTriggered(ConnectionEvent.NEXT_TURN);
      }
    } else {
      conversation.ending(now(ctx));
      endBehindAll(ctx);
    }
  }

  /** The last reply has no promise of its own, and its end may still be waiting for the client. */
  private void endBehindAll(ChannelHandlerContext ctx) {
    end(ctx, ctx.writeAndFlush(EMPTY_BUFFER));
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (turnDue && ctx.channel().isWritable()) {
      turnDue = false;
      ctx.executor().execute(() -> turnOverIfOpen(ctx)); // what comes next may write
    }
    ctx.fireChannelWritabilityChanged();
  }

  private void turnOverIfOpen(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      turnOver(ctx);
    }
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }
}
