package dev.tollgate.core.upstream;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** TLS server on a loopback port that answers every request with one reply. */
final class TlsProvider implements AutoCloseable {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel listener;

  /** Names that clients requested; {@code none} for a client without one. */
  final Queue<String> names = new ConcurrentLinkedQueue<>();

  /** The TLS sessions of its connections. */
  final BlockingQueue<String> sessions = new LinkedBlockingQueue<>();

  TlsProvider(X509Bundle identity) throws Exception {
    SslContext tls =
        SslContextBuilder.forServer(
                identity.getKeyPair().getPrivate(), identity.getCertificatePath())
            .build();
    listener =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new SniHandler(name -> note(name, tls)));
                    channel.pipeline().addLast(new Replying());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
  }

  private SslContext note(@Nullable String name, SslContext tls) {
    names.add(name == null ? "none" : name);
    return tls;
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  private final class Replying extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf request) {
      byte[] reply =
          "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe".getBytes(StandardCharsets.US_ASCII);
      var _ = context.writeAndFlush(Unpooled.wrappedBuffer(reply));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
        SSLSession session = context.pipeline().get(SslHandler.class).engine().getSession();
        sessions.add(HexFormat.of().formatHex(session.getId()));
      }
      context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      var _ = context.close(); // clients refuse us here
    }
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
  }
}
