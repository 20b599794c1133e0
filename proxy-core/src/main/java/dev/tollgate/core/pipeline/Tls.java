package dev.tollgate.core.pipeline;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;

/** Factory of the TLS handlers of client connections. */
final class Tls {
  private Tls() {}

  /** Returns a handler whose handshake has the timeout of a head. */
  static SslHandler handler(
      SslContext context, ByteBufAllocator allocator, GatewayOptions options) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(options.headerTimeout().toMillis());
    return handler;
  }
}
