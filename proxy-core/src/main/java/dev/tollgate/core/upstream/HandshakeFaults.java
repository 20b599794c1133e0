package dev.tollgate.core.upstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * Handler that closes an upstream connection whose TLS handshake fails, without a log entry: the
 * connector reports the failure. Otherwise the end of the pipeline would log every bad certificate
 * with a stack trace. Leaves the pipeline after a success.
 */
final class HandshakeFaults extends ChannelInboundHandlerAdapter {
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completion && completion.isSuccess()) {
      context.pipeline().remove(this);
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
