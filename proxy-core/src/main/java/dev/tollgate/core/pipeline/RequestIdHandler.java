package dev.tollgate.core.pipeline;

import static dev.tollgate.core.http.TruncatedRequest.TRUNCATED_REQUEST;

import dev.tollgate.core.http.BadRequest;
import dev.tollgate.core.http.RequestHead;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Names each request before anything can be said about it, broken ones too. */
final class RequestIdHandler extends ChannelInboundHandlerAdapter {
  private final Conversation conversation;
  private final Naming naming;

  RequestIdHandler(Conversation conversation, Naming naming) {
    this.conversation = conversation;
    this.naming = naming;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case RequestHead head -> ctx.fireChannelRead(naming.receive(head, now(ctx)));
      case BadRequest bad -> {
        if (conversation.progress() == null) {
          naming.receiveNothing(now(ctx));
        }
        ctx.fireChannelRead(bad);
      }
      default -> ctx.fireChannelRead(message);
    }
  }

  /** The client left within a head: a request that is recorded, though nobody can answer it. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == TRUNCATED_REQUEST && conversation.progress() == null) {
      naming.receiveNothing(now(ctx));
    }
    ctx.fireUserEventTriggered(event);
  }

  private static long now(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }
}
