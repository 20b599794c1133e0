package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.pipeline.RequestProgress.Collected;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code body}: collects a request body into the one array from which it is parsed, counted
 * in the process-wide memory budget. All checks of the head are done before, so only this handler
 * sends {@code 100 Continue}.
 */
final class BodyHandler extends ChannelInboundHandlerAdapter {
  /** Size of an array's header: with it, an array that doubles stays a power of two. */
  private static final int HEADER_BYTES = 16;

  private static final int CHUNKED_BYTES_FIRST = 8 * 1024 - HEADER_BYTES;
  private static final byte[] EMPTY = {};

  private final ClientConnection connection;
  private final InflightBytes budget;
  private final GatewayOptions options;

  private @Nullable Authenticated request;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = EMPTY;
  private int length;
  private long beganNanos;
  private int bytesMax;

  BodyHandler(ClientConnection connection, InflightBytes budget, GatewayOptions options) {
    this.connection = connection;
    this.budget = budget;
    this.options = options;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Authenticated authenticated -> begin(ctx, authenticated);
      case ByteBuf piece -> add(ctx, piece);
      case BodyEnd _ -> end(ctx);
      case BadRequest bad -> {
        abandon();
        RefusalWriter.refuse(ctx, bad.fault());
      }
      default -> ctx.fireChannelRead(message);
    }
  }

  private void begin(ChannelHandlerContext ctx, Authenticated authenticated) {
    bytesMax =
        switch (authenticated.routed().match().endpoint().content()) {
          case NONE, JSON -> options.requestBytesMax();
          case MULTIPART -> options.multipartBytesMax();
          case JSON_OR_MULTIPART ->
              MediaType.isForm(authenticated.received().head().headers().first("content-type"))
                  ? options.multipartBytesMax()
                  : options.requestBytesMax();
        };
    switch (authenticated.received().head().body()) {
      case BodyLength.None _ -> collect(ctx, authenticated, 0);
      case BodyLength.Fixed fixed -> {
        if (fixed.bytes() > bytesMax) {
          tooLarge(ctx);
        } else {
          collect(ctx, authenticated, (int) fixed.bytes());
        }
      }
      case BodyLength.Chunked _ ->
          collect(ctx, authenticated, Math.min(bytesMax, CHUNKED_BYTES_FIRST));
      case BodyLength.UntilClose _ ->
          throw new IllegalStateException("a request never ends with its connection");
    }
  }

  private void collect(ChannelHandlerContext ctx, Authenticated authenticated, int capacity) {
    Optional<InflightBytes.Permit> granted = budget.tryAcquire(capacity);
    if (granted.isEmpty()) {
      overBudget(ctx);
      return;
    }
    request = authenticated;
    permit = granted.get();
    bytes = capacity == 0 ? EMPTY : new byte[capacity];
    length = 0;
    beganNanos = now(ctx);
    if (connection.isContinueOwed() && capacity > 0) {
      var _ = ctx.write(Interim.CONTINUE, ctx.voidPromise());
      ctx.flush();
    }
    ctx.read();
  }

  private void add(ChannelHandlerContext ctx, ByteBuf piece) {
    try {
      int count = piece.readableBytes();
      if (request != null && hasRoom(ctx, count)) {
        piece.readBytes(bytes, length, count);
        length += count;
        ctx.read();
      }
    } finally {
      piece.release();
    }
  }

  private boolean hasRoom(ChannelHandlerContext ctx, int count) {
    if (count <= bytes.length - length) {
      return true;
    }
    if (count > bytesMax - length) {
      abandon();
      tooLarge(ctx);
      return false;
    }
    long doubled = bytes.length * 2L + HEADER_BYTES;
    int capacity = (int) Math.min(bytesMax, Math.max(doubled, (long) length + count));
    if (permit == null || !tryGrow(permit, capacity)) {
      abandon();
      overBudget(ctx);
      return false;
    }
    return true;
  }

  /** Grows the array; both copies count while one is copied to the other. */
  private boolean tryGrow(InflightBytes.Permit current, int capacity) {
    if (!current.resize((long) bytes.length + capacity)) {
      return false;
    }
    bytes = Arrays.copyOf(bytes, capacity);
    return current.resize(capacity);
  }

  private void end(ChannelHandlerContext ctx) {
    if (request == null || permit == null) {
      return;
    }
    Collected collected =
        new Collected(request, new Body(bytes, length, permit, now(ctx) - beganNanos));
    clear(); // the exchange owns the body now, and ends it long before the reply ends
    ctx.fireChannelRead(collected);
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.channel().eventLoop().ticker().nanoTime();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.CUT_SHORT) {
      abandon();
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    abandon();
    ctx.fireChannelInactive();
  }

  private void abandon() {
    if (permit != null) {
      permit.end();
    }
    clear();
  }

  private void clear() {
    request = null;
    permit = null;
    bytes = EMPTY;
  }

  private void tooLarge(ChannelHandlerContext ctx) {
    RefusalWriter.reject(
        ctx, ErrorCode.REQUEST_TOO_LARGE, "The body is larger than " + bytesMax + " bytes.");
  }

  private void overBudget(ChannelHandlerContext ctx) {
    Fault fault = Fault.tryLater("Too many request bodies are being received.");
    RefusalWriter.decline(ctx, connection, RequestOutcome.SHED, fault);
  }
}
