package dev.tollgate.core.pipeline;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.RequestFlowControl;
import dev.tollgate.core.pipeline.ClientConnection.ConnectionPhase;
import dev.tollgate.core.pipeline.RequestProgress.Received;
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
 * Handler {@code reply}: writes each {@link Reply} as HTTP/1.1 and decides how the connection
 * continues. That is with the next request, with the rest of an unwanted body, or with its end. All
 * handlers below it answer through it, with the void promise.
 */
final class ReplyHandler extends ChannelDuplexHandler {
  private final ClientConnection connection;
  private final RequestFlowControl decoder;
  private final ReplyWriter writer;
  private final RequestObserver observer;
  private final ConnectionReuse reuse;
  private final LingeringClose linger;

  /** Kind of a reply that has begun and not ended. */
  private enum Open {
    NOTHING,
    EVENTS,
    BYTES,
    FILE
  }

  private Reply.@Nullable Refused pendingRefusal;
  private boolean nextRequestDue;
  private Open open = Open.NOTHING;
  private int fileStatus;
  private long fileBytes;
  private boolean closes;
  private @Nullable ChannelPromise lastWrite;

  ReplyHandler(
      ClientConnection connection,
      RequestFlowControl decoder,
      ReplyWriter writer,
      RequestObserver observer,
      BooleanSupplier draining,
      DrainingBodies drainingBodies) {
    this.connection = connection;
    this.decoder = decoder;
    this.writer = writer;
    this.observer = observer;
    this.reuse = new ConnectionReuse(connection, decoder, draining);
    this.linger = new LingeringClose(decoder, drainingBodies);
  }

  // Inbound

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (pendingRefusal != null || connection.isAnswered()) {
      drop(ctx, message);
      return;
    }
    switch (message) {
      case ByteBuf piece -> connection.bodyReceived(piece.readableBytes());
      case BodyEnd _ -> {
        reuse.bodyEnded();
        connection.bodyEnded(now(ctx));
      }
      default -> {}
    }
    ctx.fireChannelRead(message);
  }

  /** Drops the rest of a body whose request is refused already. */
  private void drop(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case ByteBuf piece -> {
        reuse.restReceived(piece.readableBytes());
        piece.release();
        if (pendingRefusal != null && reuse.isRestTooLong()) {
          sendPendingRefusal(ctx);
        } else {
          ctx.read();
        }
      }
      case BodyEnd _ -> {
        reuse.bodyEnded();
        if (pendingRefusal != null) {
          sendPendingRefusal(ctx);
        } else {
          startNextRequest(ctx);
        }
      }
      case BadRequest _ -> {
        if (pendingRefusal != null) {
          sendPendingRefusal(ctx);
        } else {
          endAfterFlush(ctx);
        }
      }
      default -> ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    linger.closed();
    pendingRefusal = null;
    RequestProgress unfinished = connection.progress();
    if (unfinished != null && connection.isAwaitingReply() && connection.isRecordedHere()) {
      boolean begun = open == Open.FILE;
      observer.ended(
          EarlyRecord.unanswered(
              connection, unfinished, begun ? fileStatus : 0, begun ? fileBytes : 0, now(ctx)));
    }
    connection.closed(now(ctx));
    ctx.fireChannelInactive();
  }

  // Outbound

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    assert promise.isVoid() : "replies are written with the void promise";
    switch (message) {
      case Interim interim -> {
        writer.interim(ctx, interim);
        connection.continueSent();
      }
      case Reply reply -> {
        RequestProgress progress = connection.progress();
        if (progress == null || !connection.isAwaitingReply() || pendingRefusal != null) {
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

  /**
   * Answers, or releases the reply if there is no memory for its head or frame; the connection is
   * closed then.
   */
  private void answerOrDiscard(ChannelHandlerContext ctx, Received request, Reply reply) {
    try {
      answer(ctx, request, reply);
    } catch (OutOfMemoryError outOfMemory) {
      discard(reply);
      throw outOfMemory;
    }
  }

  private void answer(ChannelHandlerContext ctx, Received request, Reply reply) {
    switch (reply) {
      case Reply.Whole whole -> {
        closes = reuse.mustClose(request);
        int bytes = writer.whole(ctx, request, whole, closes, last(ctx));
        finish(ctx, whole.status(), null, bytes);
      }
      case Reply.Refused refused -> {
        switch (open) {
          case EVENTS -> {
            int bytes = writer.failure(ctx, request, refused);
            endStream(ctx, request, refused.fault().code(), bytes, refused.truncates());
          }
          case BYTES, FILE -> truncateBody(ctx, request, refused.fault().code());
          case NOTHING -> refuseNowOrAfterBody(ctx, request, refused);
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
      case Reply.Ended _ -> endStream(ctx, request, null, 0, false);
    }
  }

  private void begin(Received request, Open what) {
    open = what;
    closes = reuse.mustClose(request) || (what != Open.FILE && request.head().minorVersion() == 0);
  }

  /**
   * Ends a body so that no client takes it for complete: its last chunk is left out, or, if only
   * the connection's end delimits the body, the connection is reset.
   */
  private void truncateBody(ChannelHandlerContext ctx, Received request, ErrorCode code) {
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

  private void refuseNowOrAfterBody(
      ChannelHandlerContext ctx, Received request, Reply.Refused refused) {
    if (reuse.mayEndInBufferedInput(request)) {
      awaitBufferedBody(ctx, refused);
    } else {
      refuse(ctx, request, refused);
    }
  }

  private void refuse(ChannelHandlerContext ctx, Received request, Reply.Refused refused) {
    closes = reuse.mustClose(request);
    int bytes = writer.refused(ctx, request, refused, closes, last(ctx));
    finish(ctx, refused.fault().code().status(), refused.fault().code(), bytes);
  }

  private void endStream(
      ChannelHandlerContext ctx,
      Received request,
      @Nullable ErrorCode code,
      int bytes,
      boolean truncates) {
    closes |= truncates || reuse.mustClose(request);
    writer.ended(ctx, request, truncates, last(ctx));
    finish(ctx, 200, code, bytes);
  }

  /** Ends a file, which the length in its head delimits. */
  private void endFile(ChannelHandlerContext ctx, Received request) {
    closes |= reuse.mustClose(request);
    var _ = ctx.write(EMPTY_BUFFER, last(ctx));
    finish(ctx, fileStatus, null, fileBytes);
  }

  /** Returns a promise of its own for a write whose completion matters, else the void promise. */
  private ChannelPromise last(ChannelHandlerContext ctx) {
    if (!closes) {
      return ctx.voidPromise();
    }
    ChannelPromise promise = ctx.newPromise();
    lastWrite = promise;
    return promise;
  }

  private void finish(ChannelHandlerContext ctx, int status, @Nullable ErrorCode code, long bytes) {
    RequestProgress progress = connection.progress();
    if (progress != null && connection.isRecordedHere()) {
      observer.ended(EarlyRecord.answered(connection, progress, status, code, bytes, now(ctx)));
    }
    endRefusalToken(status);
    open = Open.NOTHING;
    ConnectionPhase next =
        closes
            ? ConnectionPhase.CLOSING
            : reuse.isBodyEnded() ? ConnectionPhase.WORK : ConnectionPhase.DROPPING;
    connection.answered(next, now(ctx));
  }

  /** What was refused because of the client stays counted. */
  private void endRefusalToken(int status) {
    if (status >= 400 && status < 500) {
      connection.refusalToken().keep();
    } else {
      connection.refusalToken().giveBack();
    }
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

  private void awaitBufferedBody(ChannelHandlerContext ctx, Reply.Refused refused) {
    pendingRefusal = refused;
    reuse.restBegun();
    ctx.read();
    ctx.executor().execute(() -> sendPendingRefusal(ctx)); // after all buffered input was read
  }

  private void sendPendingRefusal(ChannelHandlerContext ctx) {
    Reply.Refused refused = pendingRefusal;
    RequestProgress progress = connection.progress();
    pendingRefusal = null;
    if (refused != null && progress != null) {
      refuse(ctx, progress.received(), refused);
      flush(ctx);
    }
  }

  // After the reply

  @Override
  public void flush(ChannelHandlerContext ctx) {
    ctx.flush();
    if (!connection.isAnswered()) {
      return;
    }
    if (lastWrite != null) {
      ChannelPromise written = lastWrite;
      lastWrite = null;
      end(ctx, written);
    } else if (connection.phase() == ConnectionPhase.DROPPING) {
      ctx.read();
    } else if (connection.phase() == ConnectionPhase.WORK) {
      startNextRequest(ctx);
    }
  }

  private void end(ChannelHandlerContext ctx, ChannelFuture written) {
    linger.begin(ctx, written, connection.isContinueOwed() ? 0 : decoder.bodyBytesLeft());
    if (!written.isDone()) {
      ctx.fireUserEventTriggered(ConnectionEvent.LAST_REPLY_PENDING);
    }
  }

  private void startNextRequest(ChannelHandlerContext ctx) {
    nextRequestDue = !ctx.channel().isWritable();
    if (nextRequestDue) {
      return; // a client that does not receive its replies gets no further ones
    }
    reuse.nextRequest();
    connection.completed(now(ctx));
    if (reuse.mayServeNext()) {
      decoder.nextRequest();
      ctx.read();
      if (connection.phase() == ConnectionPhase.IDLE && decoder.isHeadUnderway()) {
        ctx.fireUserEventTriggered(ConnectionEvent.NEXT_REQUEST_UNDERWAY);
      }
    } else {
      connection.closing(now(ctx));
      endAfterFlush(ctx);
    }
  }

  /** Ends the connection after a flush, since the last reply has no promise of its own. */
  private void endAfterFlush(ChannelHandlerContext ctx) {
    end(ctx, ctx.writeAndFlush(EMPTY_BUFFER));
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (nextRequestDue && ctx.channel().isWritable()) {
      nextRequestDue = false;
      ctx.executor().execute(() -> startNextRequestIfOpen(ctx)); // the next request may write
    }
    ctx.fireChannelWritabilityChanged();
  }

  private void startNextRequestIfOpen(ChannelHandlerContext ctx) {
    if (ctx.channel().isActive()) {
      startNextRequest(ctx);
    }
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }
}
