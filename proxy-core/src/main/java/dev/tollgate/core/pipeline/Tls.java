package dev.tollgate.core.pipeline;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * TLS of a listener: certificate and key for new connections, which a reload replaces. What was
 * replaced or closed is released when the last connection that uses it has ended.
 */
public final class Tls implements AutoCloseable {
  private SslContext current; // both guarded by this
  private boolean isClosed;

  /**
   * @param first is owned by this object from now on, as those that replace it
   */
  public Tls(SslContext first) {
    this.current = first;
  }

  /** Returns a handler whose handshake has the timeout of a head. */
  SslHandler handler(ByteBufAllocator allocator, GatewayOptions options) {
    SslContext context = retained();
    try {
      SslHandler handler = context.newHandler(allocator);
      handler.setHandshakeTimeoutMillis(options.headerTimeout().toMillis());
      return handler;
    } finally {
      ReferenceCountUtil.release(context); // the connection has its own reference
    }
  }

  private synchronized SslContext retained() {
    return ReferenceCountUtil.retain(current);
  }

  /** Puts another certificate and key in use. */
  public synchronized void replace(SslContext next) {
    ReferenceCountUtil.release(isClosed ? next : current);
    current = isClosed ? current : next;
  }

  /** Releases what is in use; no connection may begin afterwards. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      ReferenceCountUtil.release(current);
    }
  }
}
