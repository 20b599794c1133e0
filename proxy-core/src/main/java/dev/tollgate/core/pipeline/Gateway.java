package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.HttpService.ServicePorts;
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
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Server of a listener for clients: binds its address, accepts client connections, drains and
 * closes them. It has no threads of its own: connections run on the given event loops.
 */
public final class Gateway {
  private static final int BACKLOG = 4096;
  private static final int READ_BYTES_FIRST = 2048;
  private static final int READ_BYTES_MAX = 16 * 1024;
  private static final int READ_BYTES_MIN = 512;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  private final GatewayOptions options;
  private final Supplier<CompletionStage<Void>> detachedRequests;
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
   * Creates a gateway that does not listen yet.
   *
   * @param tls certificate and key, which the caller closes; null means without TLS
   */
  public Gateway(
      GatewayOptions options,
      GatewayPorts ports,
      @Nullable Tls tls,
      EventLoopGroup loops,
      Transport transport,
      ByteBufAllocator allocator) {
    this(
        options,
        ports.service()::detachedRequests,
        loops,
        transport,
        allocator,
        (connections, draining, bodies) ->
            DownstreamPipeline.ofApi(options, ports, tls, connections, draining, bodies));
  }

  /**
   * Creates a gateway in front of another service than the API. It does not listen yet.
   *
   * @param tls certificate and key, which the caller closes; null means without TLS
   */
  public Gateway(
      GatewayOptions options,
      ServicePorts ports,
      @Nullable Tls tls,
      EventLoopGroup loops,
      Transport transport,
      ByteBufAllocator allocator) {
    this(
        options,
        () -> CompletableFuture.completedStage(null),
        loops,
        transport,
        allocator,
        (connections, draining, bodies) ->
            new DownstreamPipeline(
                options,
                ports.observer(),
                ports.clock(),
                tls,
                connections,
                draining,
                bodies,
                (pipeline, connection) ->
                    pipeline.addLast("service", new ServiceHandler(connection, ports))));
  }

  /** Maker of the pipeline from the gateway's own counts. */
  private interface PipelineFactory {
    DownstreamPipeline create(
        ConnectionCount connections, BooleanSupplier draining, DrainingBodies bodies);
  }

  private Gateway(
      GatewayOptions options,
      Supplier<CompletionStage<Void>> detachedRequests,
      EventLoopGroup loops,
      Transport transport,
      ByteBufAllocator allocator,
      PipelineFactory pipelines) {
    this.options = options;
    this.detachedRequests = detachedRequests;
    this.loops = loops;
    this.transport = transport;
    this.allocator = allocator;
    this.connections =
        new ConnectionCount(options.connectionsMax(), options.unprovenPerAddressMax());
    this.drainingBodies =
        new DrainingBodies(Math.max(options.requestBytesMax(), options.multipartBytesMax()));
    this.pipeline = pipelines.create(connections, closing::get, drainingBodies);
    this.open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    this.stalled = new StalledStreams(loops, open);
  }

  /** Starts to listen; the address contains the port that the system chose if 0 was configured. */
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
        // Reads happen only on demand: what a client sends ahead is bounded by the socket's buffer.
        .childOption(ChannelOption.AUTO_READ, false)
        // A client that half-closes counts as disconnected, as for most proxies: its reply is
        // canceled.
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

  /** Makes every reply end its connection from now on; new connections are still accepted. */
  public void announceClose() {
    closing.set(true);
  }

  /**
   * Closes the listener and idle connections; current requests continue, and each reply ends its
   * connection.
   */
  public void stopAccepting() {
    closing.set(true);
    stopped.set(true);
    if (listener != null) {
      var _ = listener.close();
    }
    fireAll(ConnectionEvent.DRAIN);
  }

  /** Closes connections whose clients have received their replies and send no request. */
  public void closeIdle() {
    fireAll(ConnectionEvent.CLOSE_IDLE);
  }

  /**
   * Resets streams whose clients receive nothing, the largest first, until {@code bytes} are
   * released. Streams that make progress are not affected.
   */
  public void resetStalled(long bytes) {
    stalled.reset(bytes);
  }

  /** Leaves new connections in the system's backlog until {@link #resumeAccepting()}. */
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

  /** Ends all current requests with a fault, inside the stream if one is open. */
  public void cutShort() {
    fireAll(ConnectionEvent.CUT_SHORT);
  }

  /**
   * Returns a stage that completes when no connection is open and everything that connections and
   * detached requests held has ended; to be called after {@link #stopAccepting()}. A channel closes
   * before its handlers run, so the count of connections is awaited.
   */
  public CompletionStage<Void> closed() {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    open.newCloseFuture().addListener(_ -> closed.complete(null));
    return closed.thenCompose(_ -> connections.whenNone()).thenCompose(_ -> detachedRequests.get());
  }

  private void fireAll(ConnectionEvent event) {
    for (Channel channel : open) {
      channel.pipeline().fireUserEventTriggered(event);
    }
  }

  /** Closes the listener and every connection at once. The stage completes when none is open. */
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

  /**
   * Returns the number of open connections that do not give way to new ones: their clients have
   * proved a key or are trusted proxies.
   */
  public int provedConnections() {
    return connections.open() - connections.unproven().count();
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
        connections.unproven().count(),
        connections.evictedAtNodeLimit(),
        connections.evictedAtAddressLimit(),
        stalled.total(),
        drainingBodies.draining(),
        drainingBodies.unread(),
        byPhase);
  }
}
