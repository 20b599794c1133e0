import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.net.InetSocketAddress;

/**
 * A bare relay: HTTP objects in, the same HTTP objects out, one connection to the provider for each
 * of a client, one event loop, and nothing of what a gateway does. {@code java Relay.java PORT PROVIDER},
 * where port 0 is a free one; it prints which.
 */
final class Relay {
  public static void main(String[] ports) throws Exception {
    var provider = new InetSocketAddress("127.0.0.1", Integer.parseInt(ports[1]));
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    Channel listening =
        new ServerBootstrap()
            .group(loop)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 4096)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel client) {
                    connect(client, provider);
                  }
                })
            .bind("127.0.0.1", Integer.parseInt(ports[0]))
            .sync()
            .channel();
    int port = ((InetSocketAddress) listening.localAddress()).getPort();
    try (var out = new FileOutputStream(FileDescriptor.out)) {
      out.write(("relays at " + port + System.lineSeparator()).getBytes(US_ASCII));
    }
    listening.closeFuture().sync();
  }

  private static void connect(Channel client, InetSocketAddress provider) {
    new Bootstrap()
        .group(client.eventLoop())
        .channel(EpollSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel upstream) {
                upstream.pipeline().addLast(new HttpClientCodec(), new Hand(client));
              }
            })
        .connect(provider)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                client.close();
                return;
              }
              Channel upstream = ((io.netty.channel.ChannelFuture) connected).channel();
              client.pipeline().addLast(new HttpServerCodec(), new Hand(upstream));
              client.config().setAutoRead(true);
            });
  }

  /** Hands what one side says to the other, and stops reading while that takes nothing. */
  private static final class Hand extends ChannelInboundHandlerAdapter {
    private final Channel other;

    Hand(Channel other) {
      this.other = other;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      other.write(message, other.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      other.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      other.config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      other.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
