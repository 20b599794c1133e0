package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.tollgate.core.http.RequestFlowControl;
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
 * first, and input is dropped until the client ends its own or has had its time. A body that could
 * have been taken is dropped whole where there is a place for it, as long as it keeps coming.
 */
final class LingeringClose implements ChannelFutureListener, Runnable {
  private static final int DROPPED_BYTES_MAX = 1024 * 1024;
  private static final int MILLIS_MAX = 2000;

  /** Fewer within {@link #MILLIS_MAX} are a client that has ended, or that is too slow. */
  private static final int BODY_BYTES_MIN = 512 * 1024;

  /** A body is waited for as often, so that it has 30 s in all. */
  private static final int BODY_WAITS_MAX = 14;

  /**
   * For a client that sends and sends: time to look at what it received before it meets the RST.
   */
  private static final int MILLIS_WHEN_FULL = 500;

  private final RequestFlowControl decoder;
  private final DrainingBodies drainingBodies;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable Future<?> end;
  private boolean readsBody;
  private boolean isFull;
  private long droppedBytes;
  private int waits;

  LingeringClose(RequestFlowControl decoder, DrainingBodies drainingBodies) {
    this.decoder = decoder;
    this.drainingBodies = drainingBodies;
  }

  /**
   * Begins once {@code lastWrite} is done; input is dropped from now on.
   *
   * @param bytesOwed of the request's body, {@link Long#MAX_VALUE} if nobody knows
   */
  void begin(ChannelHandlerContext handlerContext, ChannelFuture lastWrite, long bytesOwed) {
    ctx = handlerContext;
    long bytes = bytesOwed == Long.MAX_VALUE ? drainingBodies.bodyBytesMax() : bytesOwed;
    boolean mayRead = bytes > BODY_BYTES_MIN && bytes <= drainingBodies.bodyBytesMax();
    readsBody |= mayRead && !readsBody && drainingBodies.tryAcquire();
    decoder.dropInput(DROPPED_BYTES_MAX + (readsBody ? bytes : 0), this::inputLimitReached);
    lastWrite.addListener(this);
  }

  private void inputLimitReached() {
    isFull = true;
    if (ctx != null) {
      closeIn(ctx, MILLIS_WHEN_FULL);
    }
  }

  /** The connection is closed. */
  void closed() {
    cancel();
    if (readsBody) {
      readsBody = false;
      drainingBodies.release();
    }
  }

  private void cancel() {
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
    cancel();
    end = open.executor().schedule(this, millis, MILLISECONDS);
  }

  /** The client has had its time, unless its body still comes. */
  @Override
  public void run() {
    end = null;
    if (ctx == null) {
      return;
    }
    if (readsBody && !isFull && isBodyArriving()) {
      closeIn(ctx, MILLIS_MAX);
    } else {
      var _ = ctx.close();
    }
  }

  private boolean isBodyArriving() {
    long before = droppedBytes;
    droppedBytes = decoder.droppedBytes();
    waits++;
    return waits <= BODY_WAITS_MAX && droppedBytes - before >= BODY_BYTES_MIN;
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
