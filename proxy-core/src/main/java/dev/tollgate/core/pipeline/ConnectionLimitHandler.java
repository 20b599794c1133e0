package dev.tollgate.core.pipeline;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;

/**
 * Counts connections. One too many is closed before a byte of it is read, and a connection that
 * idles when the node drains, or lacks room, is closed.
 */
final class ConnectionLimitHandler extends ChannelInboundHandlerAdapter {
  private final ConnectionCount connections;
  private final ClientConnection connection;
  private boolean counted;

  ConnectionLimitHandler(ConnectionCount connections, ClientConnection connection) {
    this.connections = connections;
    this.connection = connection;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!connections.tryAcquire()) {
      var _ = ctx.close();
      return;
    }
    counted = true;
    if (ctx.channel().remoteAddress() instanceof InetSocketAddress peer) {
      connection.peer(ClientAddress.Known.of(peer.getAddress()));
    } else {
      connection.peer(ClientAddress.Known.of(NetUtil.LOCALHOST)); // a channel without a network
    }
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    // Last: who waits for the count to reach zero finds everything below ended and recorded.
    try {
      ctx.fireChannelInactive();
    } finally {
      if (counted) {
        connections.release();
      }
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.DRAIN && connection.isBetweenRequests()) {
      closeAfterFlush(ctx);
    } else if (event == ConnectionEvent.CLOSE_IDLE && connection.isKeptAlive()) {
      closeAfterFlush(ctx);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  /** The client may still be taking its last reply. What it asks for meanwhile is answered. */
  private void closeAfterFlush(ChannelHandlerContext ctx) {
    ctx.writeAndFlush(EMPTY_BUFFER)
        .addListener(
            _ -> {
              if (connection.isBetweenRequests()) {
                var _ = ctx.close();
              }
            });
  }
}
