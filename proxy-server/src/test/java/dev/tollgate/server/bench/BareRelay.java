package dev.tollgate.server.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The least that stands between a client and a provider: bytes from one socket to another, each
 * connection on a loop of its own, and nobody looks at them. A process to measure a gateway beside.
 */
final class BareRelay {
  private BareRelay() {}

  /** Relays to a port of 127.0.0.1 until it is killed; prints the port that it listens to. */
  public static void main(String[] arguments) throws InterruptedException, IOException {
    var upstream =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Channel listening =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel client) {
                    connect(client, upstream);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    int port = ((InetSocketAddress) listening.localAddress()).getPort();
    try (var out = new FileOutputStream(FileDescriptor.out)) {
      out.write(("relays at " + port + System.lineSeparator()).getBytes(US_ASCII));
    }
    listening.closeFuture().sync();
  }

  private static void connect(Channel client, InetSocketAddress upstream) {
    new Bootstrap()
        .group(client.eventLoop())
        .channel(NioSocketChannel.class)
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(new To(client))
        .connect(upstream)
        .addListener(
            (ChannelFuture made) -> {
              client.pipeline().addLast(new To(made.channel()));
              client.read();
            });
  }

  /** Hands on what is read, and reads on when that was written. */
  private static final class To extends ChannelInboundHandlerAdapter {
    private final Channel other;

    To(Channel other) {
      this.other = other;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
      other.write(bytes, other.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      other.flush();
      ctx.read();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      other.close();
    }
  }
}
