package dev.tollgate.server.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Clients that ask for chat replies, each one after the other, on connections they keep. */
final class PlainClients implements AutoCloseable {
  private static final int REPLY_BYTES_MAX = 1 << 20;

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<Channel> channels = new ArrayList<>();
  private final byte[] request;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger replyBytes = new AtomicInteger();
  private volatile @Nullable Throwable failed;
  private volatile CountDownLatch running = new CountDownLatch(0);

  PlainClients(InetSocketAddress gateway, String key, String model, boolean isStream, int clients)
      throws InterruptedException {
    this(gateway, request("/v1/chat/completions", key, chatRequest(model, isStream)), clients);
  }

  /** Clients that send these bytes. */
  PlainClients(InetSocketAddress gateway, byte[] request, int clients) throws InterruptedException {
    this.request = request;
    for (int i = 0; i < clients; i++) {
      channels.add(connect(gateway));
    }
  }

  private static String chatRequest(String model, boolean isStream) {
    return "{\"model\":\""
        + model
        + "\",\"stream\":"
        + isStream
        + ",\"max_tokens\":64,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
  }

  /** A request with a body in JSON. */
  static byte[] request(String path, String key, String body) {
    return ("POST "
            + path
            + " HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
            + key
            + "\r\ncontent-type: application/json\r\ncontent-length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private Channel connect(InetSocketAddress gateway) throws InterruptedException {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel opened) {
                opened
                    .pipeline()
                    .addLast(new HttpResponseDecoder())
                    .addLast(new HttpObjectAggregator(REPLY_BYTES_MAX))
                    .addLast(new ClientHandler());
              }
            })
        .connect(gateway)
        .sync()
        .channel();
  }

  /** Sends so many requests and waits for their replies. */
  void ask(int requests) throws InterruptedException {
    left.set(requests);
    running = new CountDownLatch(channels.size());
    channels.forEach(this::next);
    running.await();
    Throwable failure = failed;
    if (failure != null) {
      throw new IllegalStateException("a client failed", failure);
    }
  }

  /** Replies that were no 200. */
  int refused() {
    return refused.get();
  }

  /** Bytes of the last reply's body. */
  int replyBytes() {
    return replyBytes.get();
  }

  private void next(Channel channel) {
    if (left.getAndDecrement() > 0) {
      channel
          .writeAndFlush(Unpooled.wrappedBuffer(request))
          .addListener(
              sent -> {
                if (!sent.isSuccess()) {
                  fail(sent.cause());
                }
              });
    } else {
      running.countDown();
    }
  }

  private void fail(Throwable cause) {
    failed = cause;
    running.countDown();
  }

  private final class ClientHandler extends SimpleChannelInboundHandler<FullHttpResponse> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpResponse reply) {
      replyBytes.set(reply.content().readableBytes());
      if (reply.status().code() != 200) {
        refused.incrementAndGet();
      }
      next(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(new ClosedChannelException());
    }
  }

  @Override
  public void close() {
    channels.forEach(Channel::close);
    loop.shutdownGracefully().awaitUninterruptibly();
  }
}
