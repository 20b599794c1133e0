package dev.tollgate.core.pipeline;

import static dev.tollgate.core.http.TruncatedRequest.TRUNCATED_REQUEST;

import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.RequestHead;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Handler {@code request-id}: gives each request its id before it can be answered, broken requests
 * too.
 */
final class RequestIdHandler extends ChannelInboundHandlerAdapter {
  private final ClientConnection connection;
  private final RequestIdAssigner idAssigner;

  RequestIdHandler(ClientConnection connection, RequestIdAssigner idAssigner) {
    this.connection = connection;
    this.idAssigner = idAssigner;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case RequestHead head -> ctx.fireChannelRead(idAssigner.receive(head, now(ctx)));
      case BadRequest bad -> {
        if (connection.progress() == null) {
          idAssigner.receiveWithoutHead(bad.read(), now(ctx));
        }
        ctx.fireChannelRead(bad);
      }
      default -> ctx.fireChannelRead(message);
    }
  }

  /** Records a request whose client disconnected within its head, though no reply is possible. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == TRUNCATED_REQUEST && connection.progress() == null) {
      idAssigner.receiveWithoutHead(Headers.EMPTY, now(ctx));
    }
    ctx.fireUserEventTriggered(event);
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }
}
