package dev.tollgate.core.http;

import static dev.tollgate.core.http.BodyEnd.BODY_END;
import static dev.tollgate.core.http.UnsolicitedBytes.UNSOLICITED_BYTES;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * Channel handler that decodes an upstream server's HTTP/1.1 responses, with one request in flight.
 * The messages are a {@link ResponseHead}, the content as {@link ByteBuf}s that the receiver
 * releases, and {@link BodyEnd}; or one {@link BadResponse}, or one {@link TruncatedResponse}.
 * Interim responses are dropped. Bytes without a request become {@link UnsolicitedBytes}; if they
 * follow a response directly, the message comes before that response's {@link BodyEnd}, so that the
 * connection is not pooled in between.
 *
 * <p>It fires all messages of a socket read. A read without a message is followed by another,
 * because the receiver still waits.
 */
public final class ResponseDecoder extends ChannelInboundHandlerAdapter {
  private static final HeadLimits LIMITS = new HeadLimits(8192, 32 * 1024, 100, 0);

  private enum State {
    IDLE,
    HEAD,
    BODY,
    DROPPING
  }

  private final ResponseHeadReader head = new ResponseHeadReader(LIMITS);
  private final BodyReader body = new BodyReader(ChunkLimits.RESPONSE);
  private State state = State.IDLE;
  private boolean bytesSeen;
  private boolean fired;
  private boolean failed;

  /**
   * Prepares for the response of a request that is about to be written. A connection with
   * unsolicited bytes or an ended input delivers nothing more.
   */
  public void awaitResponse() {
    switch (state) {
      case IDLE -> {
        state = State.HEAD;
        head.begin();
        bytesSeen = false;
      }
      case DROPPING -> {}
      case HEAD, BODY -> throw new IllegalStateException("a response is underway");
    }
  }

  /** True if any byte came since {@link #awaitResponse()}: a stale connection delivers none. */
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
      boolean more = true;
      while (more) {
        more = step(ctx, in);
      }
    } catch (MalformedHttp malformed) {
      state = State.DROPPING;
      fire(ctx, new BadResponse(malformed.reason()));
    } finally {
      in.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean readAgain = !fired && state != State.IDLE && state != State.DROPPING;
    fired = false;
    ctx.fireChannelReadComplete();
    if (readAgain && !ctx.isRemoved()) {
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

  /** Performs the step of the current state. Returns false if the input allows no further step. */
  private boolean step(ChannelHandlerContext ctx, ByteBuf in) throws MalformedHttp {
    return switch (state) {
      case IDLE -> in.isReadable() && unsolicited(ctx);
      case HEAD -> in.isReadable() && head(ctx, in);
      case BODY -> body(ctx, in);
      case DROPPING -> false;
    };
  }

  private boolean unsolicited(ChannelHandlerContext ctx) {
    state = State.DROPPING;
    fire(ctx, UNSOLICITED_BYTES);
    return false;
  }

  private boolean head(ChannelHandlerContext ctx, ByteBuf in) throws MalformedHttp {
    bytesSeen = true;
    ResponseHead response = head.read(in);
    if (response != null) {
      body.begin(response.body());
      state = State.BODY;
      fire(ctx, response);
    }
    return response != null;
  }

  private boolean body(ChannelHandlerContext ctx, ByteBuf in) throws MalformedHttp {
    return switch (body.advance(in)) {
      case CONTENT -> {
        fire(ctx, body.content(in));
        yield true;
      }
      case END -> {
        end(ctx, in);
        yield true;
      }
      case NEEDS_INPUT -> false;
    };
  }

  private void end(ChannelHandlerContext ctx, ByteBuf in) {
    state = State.IDLE;
    if (in.isReadable()) {
      unsolicited(ctx);
    }
    fire(ctx, BODY_END);
  }

  // A close ends a body without a length of its own; a reset never does.
  private void inputEnded(ChannelHandlerContext ctx) {
    State last = state;
    state = State.DROPPING;
    if (failed) {
      return;
    }
    switch (last) {
      case HEAD -> fire(ctx, new TruncatedResponse(false));
      case BODY -> fire(ctx, body.endsAtClose() ? BODY_END : new TruncatedResponse(true));
      case IDLE, DROPPING -> {}
    }
  }

  private void fire(ChannelHandlerContext ctx, Object message) {
    fired = true;
    ctx.fireChannelRead(message);
  }
}
