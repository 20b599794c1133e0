package dev.tollgate.server.ops;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server for operators: health, metrics, configuration, reload and drain, on its own address
 * and thread. It listens before anything else starts; routes without a handler yet answer 503.
 */
public final class AdminServer implements AutoCloseable {
  private static final int BODY_BYTES_MAX = 64 * 1024;
  private static final int WORK_MAX = 8;

  /** Handler of one route, which may block. */
  @FunctionalInterface
  public interface RouteHandler {
    AdminReply handle(AdminRequest request) throws Exception;
  }

  /** The parts of a request that a handler reads. */
  public record AdminRequest(RequestId id, @Nullable String accept) {}

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
  private final AdminConnections connections = new AdminConnections();
  private final AtomicReference<Map<AdminRoute, RouteHandler>> handlers =
      new AtomicReference<>(Map.of());
  private final Semaphore work = new Semaphore(WORK_MAX);
  private final AdminAccess access;
  private final Channel listener;

  private AdminServer(InetSocketAddress address, @Nullable Secret token, Health health)
      throws IOException, InterruptedException {
    this.access = new AdminAccess(token, address.getHostString());
    handle(AdminRoute.LIVEZ, _ -> AdminReply.text(200, "ok"));
    handle(AdminRoute.READYZ, _ -> readiness(health));
    ChannelFuture binding = bootstrap().bind(address).await();
    listener = binding.channel();
    Throwable refused = binding.cause();
    if (refused != null) {
      var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw new IOException("cannot listen on " + address + ": " + refused.getMessage(), refused);
    }
  }

  /**
   * Starts to listen.
   *
   * @param token required value of {@code Authorization: Bearer}; null if none is required
   * @throws IOException if the address cannot be bound
   */
  public static AdminServer listen(InetSocketAddress address, @Nullable Secret token, Health health)
      throws IOException, InterruptedException {
    return new AdminServer(address, token, health);
  }

  /**
   * Returns a handler for {@link AdminRoute#METRICS} that writes the format the scraper accepts.
   */
  public static RouteHandler metrics(Metrics metrics) {
    return request -> {
      Metrics.Exposition exposition = metrics.scrape(request.accept());
      return new AdminReply(200, exposition.contentType(), exposition.text());
    };
  }

  /** Registers the metrics of the listener itself. */
  public void register(Metrics metrics) {
    metrics.gauge(ProcessFamily.ADMIN_CONNECTIONS, connections::count);
    metrics.counter(ProcessFamily.ADMIN_CONNECTIONS_EVICTED, connections::evicted);
  }

  /** Sets the handler of a route. */
  public void handle(AdminRoute route, RouteHandler handler) {
    handlers.updateAndGet(
        before -> {
          Map<AdminRoute, RouteHandler> after = new EnumMap<>(AdminRoute.class);
          after.putAll(before);
          after.put(route, handler);
          return Map.copyOf(after);
        });
  }

  /** Returns the bound address, with the actual port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    var _ = listener.close();
    connections.close();
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private static AdminReply readiness(Health health) {
    String text = health.statusText();
    return AdminReply.text(health.isReady() ? 200 : 503, text);
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, AdminConnections.MAX)
        .childOption(ChannelOption.AUTO_READ, false)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel connection) {
                accept(connection);
              }
            });
  }

  private void accept(Channel connection) {
    if (!connections.tryAdd(connection)) {
      var _ = connection.close();
      return;
    }
    var deadlines = new AdminDeadlines(connections);
    connection
        .pipeline()
        .addLast("deadlines", deadlines)
        .addLast("http", new HttpServerCodec())
        .addLast("body", new HttpObjectAggregator(BODY_BYTES_MAX))
        .addLast("flow", new FlowControlHandler())
        .addLast("admin", new AdminHandler(access, handlers::get, work, deadlines));
  }
}
