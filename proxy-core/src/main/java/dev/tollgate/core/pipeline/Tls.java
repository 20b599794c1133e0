package dev.tollgate.core.pipeline;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;

/** The TLS handler of a client connection. */
final class Tls {
  private Tls() {}

  /** The handshake has the time that a head has. */
  static SslHandler handler(
      SslContext context, ByteBufAllocator allocator, GatewayOptions options) {
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(options.headerTimeout().toMillis());
    return handler;
  }
}
