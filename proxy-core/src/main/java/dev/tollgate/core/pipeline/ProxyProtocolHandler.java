package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.tollgate.core.net.CidrSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Handler {@code proxy-protocol}: reads the caller's address from the PROXY header at the start of
 * a connection, and then leaves the pipeline. Only trusted balancers may connect, and each
 * connection must begin with a header.
 */
final class ProxyProtocolHandler extends ChannelInboundHandlerAdapter {
  private static final int MILLIS_MAX = 5000;

  private final CidrSet trusted;
  private final ClientConnection connection;
  private ByteBuf input = Unpooled.EMPTY_BUFFER;
  private @Nullable Future<?> deadline;

  ProxyProtocolHandler(CidrSet trusted, ClientConnection connection) {
    this.trusted = trusted;
    this.connection = connection;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (!trusted.contains(connection.peer().address())) {
      var _ = ctx.close();
      return;
    }
    Runnable tooLate =
        () -> {
          var _ = ctx.close();
        };
    deadline = ctx.executor().schedule(tooLate, MILLIS_MAX, MILLISECONDS);
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof ByteBuf bytes)) {
      ctx.fireChannelRead(message);
      return;
    }
    input = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), input, bytes);
    switch (ProxyHeader.read(input)) {
      case ProxyHeader.Partial _ -> {} // the handlers below still wait for bytes, and read again
      case ProxyHeader.Proxied proxied -> {
        connection.peer(ClientAddress.Known.of(proxied.source()));
        leave(ctx);
      }
      case ProxyHeader.Local _ -> leave(ctx);
      case ProxyHeader.Refused _ -> {
        var _ = ctx.close();
      }
    }
  }

  private void leave(ChannelHandlerContext ctx) {
    ctx.fireUserEventTriggered(ConnectionEvent.CLIENT_NAMED);
    ctx.pipeline().remove(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    ByteBuf rest = input;
    input = Unpooled.EMPTY_BUFFER;
    if (rest.isReadable() && ctx.channel().isActive()) {
      ctx.fireChannelRead(rest);
    } else {
      rest.release();
    }
  }
}
