package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.HttpService;
import dev.tollgate.core.exchange.frame.HttpService.Answer;
import dev.tollgate.core.exchange.frame.HttpService.ServicePorts;
import dev.tollgate.core.exchange.frame.HttpService.Verdict;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.pipeline.RequestProgress.Named;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code service}, the last of the pipeline of a listener with a service of its own: has
 * heads judged, collects the bodies of accepted requests, and hands them to the service. A body
 * that is too large is not refused here, because what the service checks first may not let its
 * sender know even that.
 */
final class ServiceHandler extends AnsweringHandler {
  private static final int CHUNKED_BYTES_FIRST = 4 * 1024;
  private static final byte[] EMPTY = {};

  private final HttpService service;
  private final InflightBytes budget;
  private @Nullable Answer answer;
  private InflightBytes.@Nullable Permit permit;
  private byte[] bytes = EMPTY;
  private int length;
  private int bytesMax;

  ServiceHandler(ClientConnection connection, ServicePorts ports) {
    super(connection);
    this.service = ports.service();
    this.budget = ports.bodies();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Received received -> judge(ctx, received);
      case ByteBuf piece -> add(ctx, piece);
      case BodyEnd _ -> end();
      case BadRequest bad -> {
        abandon();
        refuse(ctx, bad.fault());
      }
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void judge(ChannelHandlerContext ctx, Received received) {
    var request = new HttpService.Request(received.id(), received.head(), received.client().text());
    abandon(); // what an unexpected failure has left
    switch (service.judge(request)) {
      case Verdict.Refused(String route, Fault fault) -> {
        connection.advance(new Named(received, route));
        refuse(ctx, fault);
      }
      case Verdict.Accepted accepted -> {
        connection.advance(new Named(received, accepted.route()));
        bytesMax = accepted.bodyBytesMax();
        answer = accepted.answer();
        collect(ctx, received.head().body());
      }
    }
  }

  private void collect(ChannelHandlerContext ctx, BodyLength body) {
    long capacity =
        switch (body) {
          case BodyLength.None _ -> 0;
          case BodyLength.Fixed fixed -> fixed.bytes();
          case BodyLength.Chunked _ -> Math.min(bytesMax, CHUNKED_BYTES_FIRST);
          case BodyLength.UntilClose _ ->
              throw new IllegalStateException("a request never ends with its connection");
        };
    if (capacity > bytesMax) {
      answer(null);
      return;
    }
    permit = budget.tryAcquire(capacity).orElse(null);
    if (permit == null) {
      overBudget(ctx);
      return;
    }
    bytes = capacity == 0 ? EMPTY : new byte[(int) capacity];
    length = 0;
    if (connection.isContinueOwed() && capacity > 0) {
      var _ = ctx.write(Interim.CONTINUE, ctx.voidPromise());
      ctx.flush();
    }
    ctx.read();
  }

  private void add(ChannelHandlerContext ctx, ByteBuf piece) {
    try {
      int count = piece.readableBytes();
      if (answer != null && hasRoom(ctx, count)) {
        piece.readBytes(bytes, length, count);
        length += count;
        ctx.read();
      }
    } finally {
      piece.release();
    }
  }

  /** Grows the array for {@code count} more bytes; false if the request is answered instead. */
  private boolean hasRoom(ChannelHandlerContext ctx, int count) {
    if (count <= bytes.length - length) {
      return true;
    }
    if (count > bytesMax - length) {
      answer(null);
      return false;
    }
    int capacity = (int) Math.min(bytesMax, Math.max(2L * bytes.length, (long) length + count));
    if (permit == null || !permit.resize(capacity)) {
      overBudget(ctx);
      return false;
    }
    bytes = Arrays.copyOf(bytes, capacity);
    return true;
  }

  private void end() {
    if (answer != null) {
      answer(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
    }
  }

  /** Hands the request over; the body counts as received until then only, since it is small. */
  private void answer(byte @Nullable [] body) {
    Answer accepted = answer;
    abandon();
    if (accepted == null) {
      return;
    }
    try {
      run(() -> accepted.begin(body, this));
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      failedUnexpectedly(unexpected);
    }
  }

  private void overBudget(ChannelHandlerContext ctx) {
    abandon();
    connection.refuseAs(RequestOutcome.SHED);
    refuse(ctx, Fault.tryLater("Too many request bodies are being received."));
  }

  private void refuse(ChannelHandlerContext ctx, Fault fault) {
    RefusalWriter.refuse(ctx, service.refusal(fault));
  }

  private void abandon() {
    if (permit != null) {
      permit.end();
    }
    permit = null;
    answer = null;
    bytes = EMPTY;
    length = 0;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.CUT_SHORT) {
      abandon();
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    abandon();
    super.channelInactive(ctx);
  }
}
