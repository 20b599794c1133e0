package dev.tollgate.core.upstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * Ends a connection whose handshake fails without a word: the connector tells of it. Without it the
 * end of the pipeline would log every bad certificate with a stack trace. Leaves after a success.
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
