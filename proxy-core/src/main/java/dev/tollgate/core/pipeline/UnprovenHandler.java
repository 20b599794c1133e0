package dev.tollgate.core.pipeline;

import dev.tollgate.core.net.AddressBlock;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;

/**
 * Handler {@code unproven}: counts a connection to its client's address until its first
 * authenticated request proves a key, and then leaves the pipeline. A trusted proxy has nothing to
 * prove: its connections carry requests of many clients.
 */
final class UnprovenHandler extends ChannelDuplexHandler {
  private final ConnectionCount connections;
  private final ClientConnection connection;
  private final GatewayOptions options;

  UnprovenHandler(
      ConnectionCount connections, ClientConnection connection, GatewayOptions options) {
    this.connections = connections;
    this.connection = connection;
    this.options = options;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    connection.whenProved(() -> ctx.pipeline().remove(this));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!options.proxyProtocol()) {
      begin(ctx);
    }
    ctx.fireChannelActive();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ConnectionEvent.CLIENT_NAMED) {
      begin(ctx);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void begin(ChannelHandlerContext ctx) {
    InetAddress peer = connection.peer().address();
    if (options.trustedProxies().contains(peer)) {
      connection.prove();
    } else {
      connections.beginUnproven(ctx.channel(), AddressBlock.of(peer));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    connections.unproven().active(ctx.channel());
    ctx.fireChannelRead(message);
  }

  /** What is sent, such as a file, ends a silence too. */
  @Override
  public void flush(ChannelHandlerContext ctx) {
    connections.unproven().active(ctx.channel());
    ctx.flush();
  }

  /** Runs also when the connection closes. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    connections.unproven().remove(ctx.channel());
  }
}
