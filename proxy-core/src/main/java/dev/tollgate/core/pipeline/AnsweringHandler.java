package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.pipeline.ClientConnection.ConnectionPhase;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Last handler of a client pipeline: writes the replies of the service that answers a request, and
 * notifies it of the client's disconnect. What begins a request is the matter of its subclass.
 */
abstract class AnsweringHandler extends ChannelInboundHandlerAdapter implements Downstream {
  private static final Logger LOG = LoggerFactory.getLogger(AnsweringHandler.class);
  private static final long NONE = 0;
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The service is shutting down.").withRetryAfter(1);

  final ClientConnection connection;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Running running;
  private long started;
  private long inWork = NONE;

  AnsweringHandler(ClientConnection connection) {
    this.connection = connection;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext handlerContext) {
    ctx = handlerContext;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.read();
  }

  final void run(Supplier<Running> begin) {
    long serial = ++started;
    inWork = serial;
    Running answering = begin.get();
    if (inWork == serial) { // else it is answered already
      running = answering;
    }
  }

  // Downstream: replies of the service to the client

  @Override
  public EventLoop loop() {
    return context().channel().eventLoop();
  }

  @Override
  public ByteBufAllocator allocator() {
    return context().alloc();
  }

  @Override
  public void admitted() {
    assert loop().inEventLoop();
    connection.refusalToken().giveBack();
  }

  @Override
  public void send(Reply reply) {
    assert loop().inEventLoop();
    switch (reply) {
      case Reply.Refused refused -> {
        if (!connection.isHandedOver() && refused.fault().code().status() >= 500) {
          connection.refuseAs(RequestOutcome.DEPENDENCY_DOWN);
        }
        clearRunning();
      }
      case Reply.Whole _, Reply.Ended _ -> clearRunning();
      case Reply.Opened _, Reply.OpenedBytes _, Reply.OpenedFile _, Reply.Piece _ -> {}
    }
    var _ = context().write(reply, context().voidPromise());
  }

  @Override
  public void flush() {
    context().flush();
  }

  @Override
  public boolean isWritable() {
    return context().channel().isWritable();
  }

  @Override
  public void drop() {
    connection.refuseAs(RequestOutcome.CLIENT_STALLED);
    clientDisconnected(DisconnectReason.STALLED);
    var _ = context().close();
  }

  // Events of the client's connection

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (running != null) {
      running.writabilityChanged();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    clientDisconnected(DisconnectReason.ABORTED);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ConnectionEvent ours) {
      switch (ours) {
        case DRAIN,
            CLOSE_IDLE,
            GIVE_WAY,
            CLIENT_NAMED,
            NEXT_REQUEST_UNDERWAY,
            LAST_REPLY_PENDING -> {}
        case CUT_SHORT -> cutShort(ctx);
        case CLIENT_STALLED -> drop();
        case STREAM_SHED -> {
          connection.refuseAs(RequestOutcome.SHED);
          clientDisconnected(DisconnectReason.SHED);
          reset(ctx.channel());
        }
      }
    }
    ReferenceCountUtil.release(event);
  }

  /** Closes past all handlers and with an RST: buffers of a stalled client must be released now. */
  private static void reset(Channel channel) {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.unsafe().close(channel.unsafe().voidPromise());
  }

  private void clientDisconnected(DisconnectReason reason) {
    Running disconnected = running;
    clearRunning();
    if (disconnected != null) {
      disconnected.clientDisconnected(reason);
    }
  }

  private void cutShort(ChannelHandlerContext ctx) {
    if (running != null) {
      running.cutShort(STOPPING);
    } else if (connection.isAwaitingReply()) {
      RefusalWriter.decline(ctx, connection, RequestOutcome.DRAINED, STOPPING);
    } else if (connection.phase() != ConnectionPhase.CLOSING) {
      connection.refuseAs(RequestOutcome.DRAINED); // recorded if a part of a head has arrived
      var _ = ctx.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (isOfTheClient(cause)) {
      var _ = ctx.close();
    } else {
      failedUnexpectedly(cause);
    }
  }

  /** True if the client reset the connection, or sends no valid TLS. */
  private static boolean isOfTheClient(Throwable cause) {
    return cause instanceof IOException
        || (cause instanceof DecoderException && cause.getCause() instanceof IOException);
  }

  /** Logs an unexpected error of the gateway, and answers with it if a reply can still be sent. */
  final void failedUnexpectedly(Throwable cause) {
    RequestProgress progress = connection.progress();
    LOG.error("request {} failed", progress == null ? "-" : progress.received().id(), cause);
    if (connection.isAwaitingReply() && !connection.isHandedOver()) {
      Fault fault = Fault.of(ErrorCode.INTERNAL_FAILURE, "The request failed unexpectedly.");
      RefusalWriter.decline(context(), connection, RequestOutcome.INTERNAL_ERROR, fault);
    } else {
      var _ = context().close();
    }
  }

  private void clearRunning() {
    running = null;
    inWork = NONE;
  }

  final ChannelHandlerContext context() {
    if (ctx == null) {
      throw new IllegalStateException("not in a pipeline");
    }
    return ctx;
  }
}
