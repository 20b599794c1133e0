package dev.tollgate.core.http;

import static dev.tollgate.core.http.BodyEnd.BODY_END;
import static dev.tollgate.core.http.TruncatedRequest.TRUNCATED_REQUEST;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler that decodes a client's HTTP/1.1 requests, one message per {@code read()}. The
 * messages are a {@link RequestHead}, the content as {@link ByteBuf}s that the receiver releases,
 * and {@link BodyEnd}; or one {@link BadRequest}. It needs a channel with autoRead off.
 *
 * <p>After a request's end nothing is decoded until {@link RequestFlowControl#nextRequest()}.
 * Meanwhile one socket read stays pending, so that a disconnect is noticed, and its bytes are held
 * undecoded. A few bytes are held in the same way before the body is requested, while the caller's
 * key is looked up.
 */
public final class RequestDecoder extends ChannelDuplexHandler implements RequestFlowControl {
  private enum State {
    HEAD,
    BODY,
    HOLDING,
    DROPPING
  }

  /** Bytes beyond the bound are still read, so that a disconnect after them is noticed. */
  private static final long OVERFLOW_BYTES_MAX = 1024 * 1024;

  /**
   * Bound of the held bytes, plus one read, of a body that is not requested yet and whose caller is
   * not authenticated.
   */
  private static final int READ_AHEAD_BYTES_MAX = 16 * 1024;

  private final RequestLimits limits;
  private final RequestHeadReader head;
  private final BodyReader body = new BodyReader(ChunkLimits.REQUEST);
  private final SocketReads reads = new SocketReads();
  private @Nullable ChannelHandlerContext ctx;
  private ByteBuf input = Unpooled.EMPTY_BUFFER;
  private State state = State.HEAD;
  private long dropBytesLeft;
  private long droppedBytes;
  private @Nullable Runnable whenDropsFull;
  private boolean readRequested;
  private boolean decoding;
  private boolean overflowed;
  private long overflowBytes;

  public RequestDecoder(RequestLimits limits) {
    this.limits = limits;
    this.head = new RequestHeadReader(limits.head());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    this.ctx = ctx;
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    readRequested = true;
    decode(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (!(msg instanceof ByteBuf bytes)) {
      ctx.fireChannelRead(msg);
      return;
    }
    reads.arriving();
    switch (state) {
      case DROPPING -> drop(bytes);
      case HOLDING -> hold(ctx, bytes);
      case HEAD, BODY -> {
        append(ctx, bytes);
        decode(ctx);
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reads.completed();
    ctx.fireChannelReadComplete();
    readIfNeeded(ctx);
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
    discardInput();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    discardInput();
  }

  @Override
  public void nextRequest() {
    if (state != State.HOLDING || !mayContinue()) {
      throw new IllegalStateException("no next request in " + state);
    }
    state = State.HEAD;
    decode(context());
  }

  @Override
  public boolean mayContinue() {
    return state != State.DROPPING && !overflowed && !reads.hasEnded();
  }

  @Override
  public boolean isHeadUnderway() {
    return state == State.HEAD && (head.isUnderway() || input.isReadable());
  }

  @Override
  public long bodyBytesLeft() {
    return state == State.BODY ? body.bytesLeft() : 0;
  }

  @Override
  public void dropInput(long bytesMax, Runnable whenFull) {
    discardInput();
    dropBytesLeft = bytesMax;
    droppedBytes = 0;
    whenDropsFull = whenFull;
    readIfNeeded(context());
  }

  @Override
  public long droppedBytes() {
    return droppedBytes;
  }

  // A receiver may call read() while it handles a message: the loop here then continues, without
  // recursion.
  private void decode(ChannelHandlerContext ctx) {
    assert ctx.executor().inEventLoop();
    if (decoding) {
      return;
    }
    decoding = true;
    try {
      Object message = null;
      while (readRequested && (message = next()) != null) {
        readRequested = false;
        ctx.fireChannelRead(message);
      }
    } finally {
      decoding = false;
    }
    readIfNeeded(ctx);
  }

  private void readIfNeeded(ChannelHandlerContext ctx) {
    boolean needed =
        switch (state) {
          case HEAD -> readRequested;
          case BODY -> readRequested || input.readableBytes() < READ_AHEAD_BYTES_MAX;
          case HOLDING -> overflowBytes < OVERFLOW_BYTES_MAX;
          case DROPPING -> dropBytesLeft > 0;
        };
    if (needed) {
      reads.requestRead(ctx);
    }
  }

  private @Nullable Object next() {
    try {
      return switch (state) {
        case HEAD -> head();
        case BODY -> body();
        case HOLDING, DROPPING -> null;
      };
    } catch (MalformedHttp malformed) {
      discardInput();
      return new BadRequest(malformed.fault(), head.read());
    }
  }

  private @Nullable Object head() throws MalformedHttp {
    RequestHead request = head.read(input);
    if (request == null) {
      return exhausted();
    }
    body.begin(request.body());
    state = State.BODY;
    return request;
  }

  private @Nullable Object body() throws MalformedHttp {
    return switch (body.advance(input)) {
      case CONTENT -> body.content(input);
      case NEEDS_INPUT -> exhausted();
      case END -> end();
    };
  }

  private BodyEnd end() {
    state = State.HOLDING;
    if (input.isReadable()) {
      limitHeld();
    } else {
      releaseInput(); // a request may take long
    }
    return BODY_END;
  }

  private @Nullable Object exhausted() {
    releaseInput();
    return null;
  }

  private void releaseInput() {
    ByteBuf all = input;
    input = Unpooled.EMPTY_BUFFER;
    all.release();
  }

  private void append(ChannelHandlerContext ctx, ByteBuf bytes) {
    input = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), input, bytes);
  }

  private void hold(ChannelHandlerContext ctx, ByteBuf bytes) {
    if (overflowed) {
      overflowBytes += bytes.readableBytes();
      bytes.release();
    } else {
      append(ctx, bytes);
      limitHeld();
    }
  }

  private void limitHeld() {
    if (input.readableBytes() > limits.heldBytesMax()) {
      overflowed = true;
      releaseInput();
    }
  }

  private void drop(ByteBuf bytes) {
    int count = bytes.readableBytes();
    bytes.release();
    droppedBytes += count;
    if (dropBytesLeft > 0) {
      dropBytesLeft -= count;
      if (dropBytesLeft <= 0 && whenDropsFull != null) {
        whenDropsFull.run();
      }
    }
  }

  private void discardInput() {
    state = State.DROPPING;
    releaseInput();
  }

  private void inputEnded(ChannelHandlerContext ctx) {
    if (!reads.hasEnded()) {
      reads.end();
      if (isCut()) {
        ctx.fireUserEventTriggered(TRUNCATED_REQUEST);
      }
    }
  }

  private boolean isCut() {
    return switch (state) {
      case HEAD -> isHeadUnderway();
      case BODY -> input.readableBytes() < body.bytesLeft();
      case HOLDING, DROPPING -> false;
    };
  }

  private ChannelHandlerContext context() {
    if (ctx == null) {
      throw new IllegalStateException("not in a pipeline");
    }
    return ctx;
  }
}
