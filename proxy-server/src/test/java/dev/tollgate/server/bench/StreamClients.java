package dev.tollgate.server.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Many clients on one thread, each with one open stream; they read, or they do not. */
final class StreamClients implements AutoCloseable {
  // Small, so that a client that does not read is felt by the gateway and not hidden by the kernel.
  private static final int RECEIVE_BUFFER_BYTES = 16 * 1024;

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<Channel> channels = new ArrayList<>();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger ended = new AtomicInteger();
  private final InetSocketAddress gateway;
  private final byte[] request;

  StreamClients(InetSocketAddress gateway, String key, String model) {
    this.gateway = gateway;
    String body =
        "{\"model\":\""
            + model
            + "\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    this.request =
        ("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
                + key
                + "\r\ncontent-type: application/json\r\ncontent-length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.US_ASCII);
  }

  /** Opens {@code count} streams. */
  void open(int count, boolean reading) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      Channel channel = connect(reading).sync().channel();
      channel.writeAndFlush(Unpooled.wrappedBuffer(request)).sync();
      channels.add(channel);
    }
  }

  /**
   * Opens {@code count} streams that are read. So many connections at a time are all open before
   * the first of them sends its request; the next ones follow when each has received its first
   * bytes or has ended.
   */
  void openInWindows(int count, int together) throws InterruptedException {
    for (int opened = 0; opened < count; opened += together) {
      List<ChannelFuture> window = new ArrayList<>();
      for (int i = opened; i < Math.min(count, opened + together); i++) {
        window.add(connect(true));
      }
      for (ChannelFuture connecting : window) {
        channels.add(connecting.sync().channel());
      }
      var answered = new CountDownLatch(window.size());
      for (ChannelFuture connected : window) {
        var first = new FirstBytes(answered);
        connected.channel().pipeline().addFirst(first);
        connected.channel().writeAndFlush(Unpooled.wrappedBuffer(request));
      }
      answered.await();
    }
  }

  private ChannelFuture connect(boolean reading) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.AUTO_READ, reading)
        .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel opened) {
                opened.pipeline().addLast(new Counting());
              }
            })
        .connect(gateway);
  }

  /** Waits for the first bytes, or for the end of the connection. */
  private static final class FirstBytes extends ChannelInboundHandlerAdapter {
    private final CountDownLatch answered;

    FirstBytes(CountDownLatch answered) {
      this.answered = answered;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.pipeline().remove(this);
      context.fireChannelRead(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      answered.countDown();
    }
  }

  /** Bytes read by all clients. */
  long bytes() {
    return bytes.get();
  }

  /** Streams that ended with {@code [DONE]} or a closed connection. */
  int ended() {
    return ended.get();
  }

  private final class Counting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf read = (ByteBuf) message;
      bytes.addAndGet(read.readableBytes());
      int length = read.readableBytes();
      int tail = Math.min(length, 32);
      String last = read.toString(read.writerIndex() - tail, tail, StandardCharsets.US_ASCII);
      if (last.contains("[DONE]")) {
        ended.incrementAndGet();
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      ended.incrementAndGet();
    }
  }

  @Override
  public void close() {
    for (Channel channel : channels) {
      channel.close();
    }
    loop.shutdownGracefully().awaitUninterruptibly();
  }
}
