package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.pipeline.RequestProgress.Collected;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
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
  private static final Duration ARRAY_WAIT_MAX = Duration.ofSeconds(10);

  private final ClientConnection connection;
  private final InflightBytes budget;
  private final Offload offload;
  private final GatewayOptions options;

  private @Nullable Authenticated request;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = EMPTY;
  private int length;
  private long beganNanos;
  private int bytesMax;

  /** Array that another thread makes; it has the permit and the piece that the array is for. */
  private @Nullable PendingArray pending;

  BodyHandler(ClientConnection connection, BodyPorts ports, GatewayOptions options) {
    this.connection = connection;
    this.budget = ports.inflight();
    this.offload = ports.offload();
    this.options = options;
  }

  /**
   * Array that is being made for a body.
   *
   * @param piece what came before the array; empty at first
   */
  private record PendingArray(InflightBytes.Permit permit, ByteBuf piece, int capacity) {}

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
    length = 0;
    beganNanos = now(ctx);
    if (BodyWork.isLarge(capacity)) {
      allocate(ctx, Unpooled.EMPTY_BUFFER, capacity);
    } else {
      bytes = capacity == 0 ? EMPTY : new byte[capacity];
      receive(ctx);
    }
  }

  private void receive(ChannelHandlerContext ctx) {
    if (connection.isContinueOwed() && bytes.length > 0) {
      var _ = ctx.write(Interim.CONTINUE, ctx.voidPromise());
      ctx.flush();
    }
    ctx.read();
  }

  private void add(ChannelHandlerContext ctx, ByteBuf piece) {
    int count = piece.readableBytes();
    if (request == null) {
      piece.release();
    } else if (count <= bytes.length - length) {
      append(ctx, piece);
    } else {
      grow(ctx, piece, count);
    }
  }

  private void append(ChannelHandlerContext ctx, ByteBuf piece) {
    try {
      int count = piece.readableBytes();
      piece.readBytes(bytes, length, count);
      length += count;
    } finally {
      piece.release();
    }
    ctx.read();
  }

  /** Grows the array for a piece; both copies count while one is copied to the other. */
  private void grow(ChannelHandlerContext ctx, ByteBuf piece, int count) {
    if (count > bytesMax - length) {
      piece.release();
      abandon();
      tooLarge(ctx);
      return;
    }
    long doubled = bytes.length * 2L + HEADER_BYTES;
    int capacity = (int) Math.min(bytesMax, Math.max(doubled, (long) length + count));
    if (permit == null || !permit.resize((long) bytes.length + capacity)) {
      piece.release();
      abandon();
      overBudget(ctx);
    } else if (BodyWork.isLarge(capacity)) {
      allocate(ctx, piece, capacity);
    } else {
      bytes = Arrays.copyOf(bytes, capacity);
      permit.resize(capacity);
      append(ctx, piece);
    }
  }

  // Large arrays

  /**
   * Makes a large array on another thread, because to touch its memory for the first time can take
   * tens of milliseconds. Meanwhile no piece is requested.
   */
  private void allocate(ChannelHandlerContext ctx, ByteBuf piece, int capacity) {
    if (permit == null) {
      throw new IllegalStateException("no permit");
    }
    var making = new PendingArray(permit, piece, capacity);
    byte[] until = bytes;
    pending = making;
    offload.run(
        ctx.channel().eventLoop(),
        now(ctx) + ARRAY_WAIT_MAX.toNanos(),
        () -> Arrays.copyOf(until, capacity),
        made -> allocated(ctx, making, made));
  }

  @SuppressWarnings("ReferenceEquality") // an array is made for one body
  private void allocated(
      ChannelHandlerContext ctx, PendingArray making, Offload.Outcome<byte[]> made) {
    if (pending != making) { // the request has ended
      making.permit().end();
      making.piece().release();
      return;
    }
    pending = null;
    switch (made) {
      case Offload.Outcome.Done<byte[]>(byte[] array) -> fill(ctx, making, array);
      case Offload.Outcome.Refused<byte[]> _ -> {
        making.piece().release();
        abandon();
        RefusalWriter.decline(ctx, connection, RequestOutcome.SHED, BodyWork.BUSY);
      }
      case Offload.Outcome.Failed<byte[]>(Throwable cause) -> {
        making.piece().release();
        abandon();
        ctx.fireExceptionCaught(cause);
      }
    }
  }

  private void fill(ChannelHandlerContext ctx, PendingArray making, byte[] array) {
    boolean isFirst = bytes.length == 0;
    bytes = array;
    if (isFirst) {
      receive(ctx);
    } else {
      making.permit().resize(array.length);
      append(ctx, making.piece());
    }
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

  /** Ends the request; an array that is being made is dropped when it arrives. */
  private void abandon() {
    if (permit != null && pending == null) {
      permit.end();
    }
    clear();
  }

  private void clear() {
    pending = null;
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
