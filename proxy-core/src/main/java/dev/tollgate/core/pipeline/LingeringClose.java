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
 * Closing procedure of a client connection that lets the client receive its last reply. Closing
 * while the client still sends makes the kernel answer with an RST, and the client loses what it
 * has not read yet: so this side ends its output first, and drops input until the client ends its
 * own output or a time has passed. A refused body within the usual bounds is dropped to its end, as
 * long as it keeps coming and a slot of {@link DrainingBodies} is free.
 */
final class LingeringClose implements ChannelFutureListener, Runnable {
  private static final int DROPPED_BYTES_MAX = 1024 * 1024;
  private static final int MILLIS_MAX = 2000;

  /** Bytes per {@link #MILLIS_MAX}; a client that sends fewer has ended, or is too slow. */
  private static final int BODY_BYTES_MIN = 512 * 1024;

  /** Number of such periods for one body: 30 s in all. */
  private static final int BODY_WAITS_MAX = 14;

  /** Time for a client that sends without end to read its reply before it gets the RST. */
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
   * Begins to close once {@code lastWrite} is done; input is dropped from now on.
   *
   * @param bytesOwed rest of the request's body; {@link Long#MAX_VALUE} if unknown
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

  /** Releases timer and slot after the connection is closed. */
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

  /** Closes the connection, unless its body still arrives. */
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
