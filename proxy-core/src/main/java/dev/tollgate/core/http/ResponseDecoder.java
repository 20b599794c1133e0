package dev.tollgate.core.http;

import static dev.tollgate.core.http.BodyEnd.BODY_END;
import static dev.tollgate.core.http.SurplusBytes.SURPLUS_BYTES;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.jspecify.annotations.Nullable;

/**
 * Makes responses of a provider's bytes, one request in flight: a {@link ResponseHead}, the content
 * as {@link ByteBuf}s that the receiver releases, {@link BodyEnd}; or one {@link BadResponse}, or
 * one {@link TruncatedResponse}. Interim responses are swallowed. Bytes that no request asked for
 * become {@link SurplusBytes}; when they stand right behind a response it comes ahead of that
 * response's {@link BodyEnd}, so that nobody pools the connection in between.
 *
 * <p>Fires all that a socket read brings. A read that brought no message is followed by another, as
 * whoever asked still waits.
 */
public final class ResponseDecoder extends ChannelInboundHandlerAdapter {
  private static final HeadLimits LIMITS = new HeadLimits(8192, 32 * 1024, 100, 0);

  private enum State {
    IDLE,
    HEAD,
    FIXED,
    CHUNKED,
    UNTIL_CLOSE,
    DROPPING
  }

  private final ResponseHeadReader head = new ResponseHeadReader(LIMITS);
  private @Nullable ChunkedDecoder chunks;
  private State state = State.IDLE;
  private long fixedBytesLeft;
  private boolean bytesSeen;
  private boolean fired;
  private boolean failed;

  /** A request is about to be written: the next bytes are its response. */
  public void awaitResponse() {
    if (state != State.IDLE) {
      throw new IllegalStateException("not idle: " + state);
    }
    state = State.HEAD;
    head.begin();
    bytesSeen = false;
  }

  /** Whether any byte came since {@link #awaitResponse()}: none on a stale connection. */
  public boolean hasSeenBytes() {
    return bytesSeen;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (!(msg instanceof ByteBuf in)) {
      ctx.fireChannelRead(msg);
      return;
    }
    try {
      while (in.isReadable() && state != State.DROPPING) {
        step(ctx, in);
      }
    } catch (Malformed malformed) {
      state = State.DROPPING;
      fire(ctx, new BadResponse(malformed.reason()));
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean ask = !fired && state != State.IDLE && state != State.DROPPING;
    fired = false;
    ctx.fireChannelReadComplete();
    if (ask && !ctx.isRemoved()) {
      ctx.read();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    failed = true;
    ctx.fireExceptionCaught(cause);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inputEnded(ctx);
    ctx.fireChannelInactive();
  }

  private void step(ChannelHandlerContext ctx, ByteBuf in) throws Malformed {
    switch (state) {
      case IDLE -> {
        state = State.DROPPING;
        fire(ctx, SURPLUS_BYTES);
      }
      case HEAD -> head(ctx, in);
      case FIXED -> fixed(ctx, in);
      case CHUNKED -> chunked(ctx, in);
      case UNTIL_CLOSE -> fire(ctx, in.readRetainedSlice(in.readableBytes()));
      case DROPPING -> throw new IllegalStateException("dropping");
    }
  }

  private void head(ChannelHandlerContext ctx, ByteBuf in) throws Malformed {
    bytesSeen = true;
    ResponseHead response = head.read(in);
    if (response != null) {
      begin(ctx, in, response);
    }
  }

  private void begin(ChannelHandlerContext ctx, ByteBuf in, ResponseHead response) {
    switch (response.body()) {
      case BodyLength.None() -> state = State.IDLE;
      case BodyLength.Fixed(long bytes) -> {
        fixedBytesLeft = bytes;
        state = State.FIXED;
      }
      case BodyLength.Chunked() -> {
        chunks = new ChunkedDecoder(ChunkLimits.RESPONSE);
        state = State.CHUNKED;
      }
      case BodyLength.UntilClose() -> state = State.UNTIL_CLOSE;
    }
    boolean ends = state == State.IDLE;
    fire(ctx, response);
    if (ends) {
      end(ctx, in);
    }
  }

  private void fixed(ChannelHandlerContext ctx, ByteBuf in) {
    int bytes = (int) Math.min(fixedBytesLeft, in.readableBytes());
    fixedBytesLeft -= bytes;
    fire(ctx, in.readRetainedSlice(bytes));
    if (fixedBytesLeft == 0) {
      end(ctx, in);
    }
  }

  private void chunked(ChannelHandlerContext ctx, ByteBuf in) throws Malformed {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      throw new IllegalStateException("no chunks");
    }
    switch (decoder.advance(in)) {
      case CONTENT -> fire(ctx, decoder.content(in));
      case END -> end(ctx, in);
      case NEEDS_INPUT -> {}
    }
  }

  private void end(ChannelHandlerContext ctx, ByteBuf in) {
    chunks = null;
    if (in.isReadable()) {
      state = State.DROPPING;
      fire(ctx, SURPLUS_BYTES);
    } else {
      state = State.IDLE;
    }
    fire(ctx, BODY_END);
  }

  // A close without an end of content of its own says that all came; a reset never does.
  private void inputEnded(ChannelHandlerContext ctx) {
    State last = state;
    state = State.DROPPING;
    if (failed) {
      return;
    }
    switch (last) {
      case HEAD -> fire(ctx, new TruncatedResponse(false));
      case FIXED, CHUNKED -> fire(ctx, new TruncatedResponse(true));
      case UNTIL_CLOSE -> fire(ctx, BODY_END);
      case IDLE, DROPPING -> {}
    }
  }

  private void fire(ChannelHandlerContext ctx, Object message) {
    fired = true;
    ctx.fireChannelRead(message);
  }
}
