package dev.tollgate.mock;

import dev.tollgate.mock.media.MediaJobs;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Bundled mock provider: an OpenAI-compatible server on loopback, with its own event loops.
 * Profile, seed and model name determine the replies; see docs/mock-provider.md.
 */
public final class MockProvider implements AutoCloseable {
  private static final int BACKLOG = 8192;

  /** Reads a typical prompt at once. */
  private static final RecvByteBufAllocator READS =
      new AdaptiveRecvByteBufAllocator(512, 16 * 1024, 256 * 1024);

  private final EventLoopGroup loops;
  private final Map<EventLoop, LoopContext> contexts = new HashMap<>();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final MockCounters counters = new MockCounters();
  private final Channel listener;

  private MockProvider(MockProfile profile, int port, int threads) {
    boolean epoll = Epoll.isAvailable();
    loops =
        new MultiThreadIoEventLoopGroup(
            threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    MockModels models = new MockModels(profile);
    MediaJobs jobs = new MediaJobs(profile.replyDuration(profile.chunks()));
    for (EventExecutor each : loops) {
      EventLoop loop = (EventLoop) each;
      contexts.put(loop, new LoopContext(loop, models, counters, jobs));
    }
    Class<? extends ServerChannel> type =
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    listener = bind(type, port);
    channels.add(listener);
  }

  /**
   * Starts on 127.0.0.1 with one event loop; port 0 takes a free one.
   *
   * @throws IllegalStateException if the port is not available
   */
  public static MockProvider start(MockProfile profile, int port) {
    return start(profile, port, 1);
  }

  /** Starts on 127.0.0.1 with {@code threads} event loops; port 0 takes a free one. */
  public static MockProvider start(MockProfile profile, int port, int threads) {
    return new MockProvider(profile, port, threads);
  }

  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Returns {@code http://127.0.0.1:port/v1}. */
  public String baseUrl() {
    return "http://127.0.0.1:" + port() + "/v1";
  }

  /** Returns the counts so far. */
  public MockStats stats() {
    return counters.stats();
  }

  /** Waits until the counts meet the condition. Returns them, or the counts at the deadline. */
  public MockStats await(Predicate<MockStats> condition, Duration within)
      throws InterruptedException {
    return counters.await(condition, within);
  }

  /** Closes every connection, then ends the loops. */
  @Override
  public void close() {
    channels.close().syncUninterruptibly();
    contexts.forEach((loop, context) -> loop.submit(context::close).syncUninterruptibly());
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private Channel bind(Class<? extends ServerChannel> type, int port) {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(type)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, READS)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(new InetSocketAddress(loopback(), port))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw new IllegalStateException(
          "the mock provider cannot listen on 127.0.0.1:" + port, bound.cause());
    }
    return bound.channel();
  }

  private void accept(Channel channel) {
    LoopContext context = contexts.get(channel.eventLoop());
    if (context == null) {
      throw new IllegalStateException("the connection was accepted on an unknown event loop");
    }
    channels.add(channel);
    channel.pipeline().addLast(new MockConnection(channel, context));
  }

  private static InetAddress loopback() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
