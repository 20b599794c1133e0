package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestService;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The API listener: binds, accepts, drains, closes. It has no threads of its own: the event loops
 * are given, and connections live on them.
 */
public final class Gateway {
  private static final int BACKLOG = 4096;
  private static final int READ_BYTES_FIRST = 2048;
  private static final int READ_BYTES_MAX = 16 * 1024;
  private static final int READ_BYTES_MIN = 512;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  private final GatewayOptions options;
  private final RequestService requests;
  private final EventLoopGroup loops;
  private final Transport transport;
  private final ByteBufAllocator allocator;
  private final ConnectionCount connections;
  private final DrainingBodies drainingBodies;
  private final DownstreamPipeline pipeline;
  private final ChannelGroup open;
  private final StalledStreams stalled;
  private final Map<EventLoop, PhaseCounts> phases = new ConcurrentHashMap<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private @Nullable Channel listener;

  /**
   * A gateway that does not listen yet.
   *
   * @param tls null: in the clear
   */
  public Gateway(
      GatewayOptions options,
      GatewayPorts ports,
      @Nullable SslContext tls,
      EventLoopGroup loops,
      Transport transport,
      ByteBufAllocator allocator) {
    this.options = options;
    this.requests = ports.service();
    this.loops = loops;
    this.transport = transport;
    this.allocator = allocator;
    this.connections = new ConnectionCount(options.connectionsMax());
    this.drainingBodies =
        new DrainingBodies(Math.max(options.requestBytesMax(), options.multipartBytesMax()));
    this.pipeline =
        new DownstreamPipeline(options, ports, tls, connections, closing::get, drainingBodies);
    this.open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    this.stalled = new StalledStreams(loops, open);
  }

  /** Starts to listen; the address says the port that was chosen where 0 was asked for. */
  public CompletionStage<InetSocketAddress> bind() {
    CompletableFuture<InetSocketAddress> bound = new CompletableFuture<>();
    ChannelFuture binding = bootstrap().bind(options.address());
    listener = binding.channel();
    binding.addListener(
        done -> {
          if (done.isSuccess()) {
            bound.complete((InetSocketAddress) binding.channel().localAddress());
          } else {
            bound.completeExceptionally(done.cause());
          }
        });
    return bound;
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loops)
        .channel(transport.serverChannel())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        // Nobody is read from unasked: what a client may send ahead is bounded by its own window.
        .childOption(ChannelOption.AUTO_READ, false)
        // A client that ends its side is gone, as for most proxies: nothing waits for its reply.
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, false)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads())
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                accept(channel);
              }
            });
  }

  private static AdaptiveRecvByteBufAllocator reads() {
    AdaptiveRecvByteBufAllocator reads =
        new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_FIRST, READ_BYTES_MAX);
    reads.maxMessagesPerRead(1);
    return reads;
  }

  private void accept(Channel channel) {
    EventLoop loop = channel.eventLoop();
    PhaseCounts counts = phases.computeIfAbsent(loop, _ -> new PhaseCounts());
    pipeline.build(channel.pipeline(), new ClientConnection(loop, counts));
    open.add(channel);
    if (stopped.get()) {
      var _ = channel.close(); // accepted just before the listener closed
    }
  }

  /** From now on every reply ends its connection; new connections are still let in. */
  public void announceClose() {
    closing.set(true);
  }

  /**
   * Closes the listener and the connections that idle; what is in work goes on, each reply ending
   * its connection.
   */
  public void stopAccepting() {
    closing.set(true);
    stopped.set(true);
    if (listener != null) {
      var _ = listener.close();
    }
    fireAll(ConnectionEvent.DRAIN);
  }

  /** Closes connections whose clients have had their replies and ask for nothing. */
  public void closeIdle() {
    fireAll(ConnectionEvent.CLOSE_IDLE);
  }

  /**
   * Resets streams whose clients take nothing, the largest first, until they gave back so many
   * bytes. Streams that make progress are not touched.
   */
  public void resetStalled(long bytes) {
    stalled.reset(bytes);
  }

  /** Leaves new connections to the system's backlog until {@link #resumeAccepting()}. */
  public void pauseAccepting() {
    setAccepting(false);
  }

  public void resumeAccepting() {
    setAccepting(true);
  }

  private void setAccepting(boolean enabled) {
    if (listener != null && !stopped.get()) {
      listener.config().setAutoRead(enabled);
    }
  }

  /** Ends what is still in work with a fault, in-stream where its stream is open. */
  public void cutShort() {
    fireAll(ConnectionEvent.CUT_SHORT);
  }

  /**
   * Completes when no connection is open, all that they held has ended, and so has what was carried
   * out although its client left; to be asked after {@link #stopAccepting()}. A channel is closed
   * before its handlers hear of it, so the count is awaited.
   */
  public CompletionStage<Void> closed() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    open.newCloseFuture().addListener(_ -> closed.complete(null));
    return closed
        .thenCompose(_ -> connections.whenNone())
        .thenCompose(_ -> requests.detachedRequests());
  }

  private void fireAll(ConnectionEvent event) {
    for (Channel channel : open) {
      channel.pipeline().fireUserEventTriggered(event);
    }
  }

  /** Closes the listener and every connection at once. Completes when none is open. */
  public CompletionStage<Void> close() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    closing.set(true);
    stopped.set(true);
    if (listener != null) {
      var _ = listener.close();
    }
    open.close().addListener(_ -> closed.complete(null));
    return closed;
  }

  /** Open connections. */
  public int connections() {
    return connections.open();
  }

  public GatewayGauges gauges() {
    Map<String, Integer> byPhase = new TreeMap<>();
    for (ClientConnection.ConnectionPhase phase : ClientConnection.ConnectionPhase.values()) {
      int count = phases.values().stream().mapToInt(counts -> counts.of(phase)).sum();
      byPhase.put(phase.name().toLowerCase(Locale.ROOT), count);
    }
    return new GatewayGauges(
        connections.open(),
        connections.accepted(),
        connections.refused(),
        stalled.total(),
        drainingBodies.draining(),
        drainingBodies.unread(),
        byPhase);
  }
}
