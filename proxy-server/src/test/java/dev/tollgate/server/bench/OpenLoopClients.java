package dev.tollgate.server.bench;

import dev.tollgate.core.pipeline.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that ask for streams at a rate that does not wait for answers, on connections they keep.
 * Their number is bounded: a request that finds every connection busy is not sent, and counted. One
 * thread.
 */
final class OpenLoopClients implements AutoCloseable {
  private static final long TICK_NANOS = 1_000_000;

  private final EventLoopGroup loop;
  private final InetSocketAddress gateway;
  private final byte[] request;
  private final ArrayDeque<Channel> free = new ArrayDeque<>();
  private final AtomicInteger broken = new AtomicInteger();
  private Figures figures = new Figures();
  private double perNano;
  private double owed;
  private long tickedNanos;

  /** What came of the requests since the figures were last taken. Nanoseconds. */
  static final class Figures {
    int unsent;
    int served;
    final List<Long> servedNanos = new ArrayList<>();
    final List<Long> shedNanos = new ArrayList<>();
    final List<String> others = new ArrayList<>();

    static double millis(List<Long> nanos, double quantile) {
      if (nanos.isEmpty()) {
        return 0;
      }
      List<Long> sorted = nanos.stream().sorted().toList();
      return sorted.get((int) Math.min(sorted.size() - 1, quantile * sorted.size())) / 1e6;
    }
  }

  OpenLoopClients(InetSocketAddress gateway, String key, String model, int connections)
      throws InterruptedException {
    Transport transport = Transport.auto();
    this.gateway = gateway;
    this.loop = new MultiThreadIoEventLoopGroup(1, transport.ioHandlers());
    String body =
        "{\"model\":\""
            + model
            + "\",\"stream\":true,\"max_tokens\":64,"
            + "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    this.request =
        ("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
                + key
                + "\r\ncontent-type: application/json\r\ncontent-length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < connections; i++) {
      connect(transport);
    }
  }

  private void connect(Transport transport) throws InterruptedException {
    Channel channel =
        new Bootstrap()
            .group(loop)
            .channelFactory(new ReflectiveChannelFactory<>(transport.socketChannel()))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened.pipeline().addLast(new ClientHandler());
                  }
                })
            .connect(gateway)
            .sync()
            .channel();
    loop.submit(
            () -> {
              if (channel.isActive()) {
                free.add(channel);
              }
            })
        .sync();
  }

  /** Sends so many requests a second for this long; what came of them until then. */
  Figures ask(double perSecond, long seconds) throws InterruptedException {
    loop.submit(
            () -> {
              figures = new Figures();
              perNano = perSecond / 1e9;
              owed = 0;
              tickedNanos = System.nanoTime();
            })
        .sync();
    ScheduledFuture<?> ticks =
        loop.next().scheduleAtFixedRate(this::tick, 0, TICK_NANOS, TimeUnit.NANOSECONDS);
    if (ticks.await(seconds, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nothing was asked any more", ticks.cause());
    }
    ticks.cancel(false);
    return loop.submit(this::taken).sync().getNow();
  }

  /** What comes later counts for the next. */
  private Figures taken() {
    Figures now = figures;
    figures = new Figures();
    return now;
  }

  private void tick() {
    long now = System.nanoTime();
    owed += (now - tickedNanos) * perNano;
    tickedNanos = now;
    for (; owed >= 1; owed--) {
      Channel channel = free.poll();
      if (channel == null) {
        figures.unsent++;
      } else {
        channel
            .pipeline()
            .get(ClientHandler.class)
            .ask(channel); // it is open, or would not be free
      }
    }
  }

  /** Connections that ended, which none should. */
  int broken() {
    return broken.get();
  }

  private final class ClientHandler extends ChannelInboundHandlerAdapter {
    private final StringBuilder tail = new StringBuilder();
    private long askedNanos;
    private boolean isServed;
    private boolean isBegun;

    void ask(Channel channel) {
      askedNanos = System.nanoTime();
      isBegun = false;
      tail.setLength(0);
      channel.writeAndFlush(Unpooled.wrappedBuffer(request), channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf read = (ByteBuf) message;
      if (!isBegun) {
        isBegun = true;
        isServed =
            read.toString(read.readerIndex() + 9, 3, StandardCharsets.US_ASCII).equals("200");
      }
      int length = isServed ? Math.min(read.readableBytes(), 16) : read.readableBytes();
      tail.append(read.toString(read.writerIndex() - length, length, StandardCharsets.US_ASCII));
      read.release();
      int end = tail.length();
      if (isServed && tail.indexOf("0\r\n\r\n", Math.max(0, end - 5)) >= 0) {
        figures.served++;
        figures.servedNanos.add(System.nanoTime() - askedNanos);
        free.add(context.channel());
      } else if (isServed) {
        tail.delete(0, Math.max(0, end - 16));
      } else if (tail.indexOf("}}", Math.max(0, end - 2)) >= 0) {
        refused(tail.toString());
        free.add(context.channel());
      }
    }

    private void refused(String answer) {
      if (answer.startsWith("HTTP/1.1 503") && answer.contains("overloaded")) {
        figures.shedNanos.add(System.nanoTime() - askedNanos);
      } else {
        figures.others.add(answer.substring(answer.indexOf("\r\n\r\n") + 4));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      free.remove(context.channel());
      broken.incrementAndGet();
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
