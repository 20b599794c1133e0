package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.tollgate.core.http.Turn;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection so that its last reply is really received. Closing while the client still sends
 * makes the kernel answer with RST, and the client loses what it had not read yet: so our side ends
 * first, and input is dropped until the client ends its own or has had its time.
 */
final class ClosingLinger implements ChannelFutureListener, Runnable {
  private static final int DROPPED_BYTES_MAX = 1024 * 1024;
  private static final int MILLIS_MAX = 2000;

  /**
   * For a client that sends and sends: time to look at what it received before it meets the RST.
   */
  private static final int MILLIS_WHEN_FULL = 500;

  private final Turn turn;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> end;

  ClosingLinger(Turn turn) {
    this.turn = turn;
  }

  /** Begins once {@code lastWrite} is done; input is dropped from now on. */
  void begin(ChannelHandlerContext handlerContext, ChannelFuture lastWrite) {
    ctx = handlerContext;
    turn.dropInput(DROPPED_BYTES_MAX, () -> closeIn(handlerContext, MILLIS_WHEN_FULL));
    lastWrite.addListener(this);
  }

  /** The connection is closed. */
  void over() {
    if (end != null) {
      end.cancel(false);
      end = null;
    }
  }

  @Override
  public void operationComplete(ChannelFuture lastWrite) {
    if (ctx == null || !ctx.channel().isActive()) {
      return;
    }
    if (!lastWrite.isSuccess()) {
      var _ = ctx.close();
      return;
    }
    ChannelHandlerContext open = ctx;
    if (end == null) {
      closeIn(open, MILLIS_MAX);
    }
    SslHandler tls = open.pipeline().get(SslHandler.class);
    if (tls == null) {
      endOutput(open);
    } else {
      tls.closeOutbound().addListener(_ -> endOutput(open));
    }
  }

  private void closeIn(ChannelHandlerContext open, int millis) {
    over();
    end = open.executor().schedule(this, millis, MILLISECONDS);
  }

  /** The client has had its time. */
  @Override
  public void run() {
    if (ctx != null) {
      var _ = ctx.close();
    }
  }

  private static void endOutput(ChannelHandlerContext ctx) {
    if (ctx.channel() instanceof DuplexChannel duplex) {
      if (duplex.isActive() && !duplex.isOutputShutdown()) {
        var _ = duplex.shutdownOutput();
      }
    } else {
      var _ = ctx.close();
    }
  }
}
