package dev.tollgate.core.pipeline;

import static io.netty.buffer.Unpooled.EMPTY_BUFFER;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;

/**
 * Handler {@code connection-limit}: counts client connections and bounds their number. At the limit
 * a new one takes the place of one that has proved no key, or is closed before a byte of it is
 * read. An idle connection is closed when the node drains or lacks memory.
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
    // Released last: when the count reaches zero, all other handlers have ended and recorded their
    // work.
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
    } else if (event == ConnectionEvent.GIVE_WAY) {
      // Also if it has proved a key since it was chosen: its place is taken.
      connection.refuseAs(RequestOutcome.SHED);
      var _ = ctx.close();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  /** Closes after the client received its last reply, unless it sends another request meanwhile. */
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
