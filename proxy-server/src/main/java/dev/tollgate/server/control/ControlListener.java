package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.HttpService;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.pipeline.GatewayOptions;
import dev.tollgate.core.pipeline.Tls;
import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.SessionCookie;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Listener of the control plane, with an event loop of its own. Its front is that of the API
 * listener: framing, TLS, client addresses, deadlines, drain.
 */
public final class ControlListener implements AutoCloseable {
  /** Largest number of connections of one address, or IPv6 network of 64 bits. */
  static final int CONNECTIONS_PER_ADDRESS_MAX = 64;

  /** Bound of the bodies that are being received on all connections. */
  private static final long BODIES_BYTES_MAX = 16L * 1024 * 1024;

  private static final int HEADER_BYTES_MAX = 32 * 1024;
  private static final Duration HEADER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration BODY_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration WRITE_STALL = Duration.ofSeconds(60);
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(75);
  private static final int END_MILLIS_MAX = 2_000;

  private final EventLoopGroup loops;
  private final Gateway gateway;
  private final CallThreads threads;
  private final @Nullable Tls tls;

  /**
   * Options of the listener.
   *
   * @param publicUrl URL for browsers; null: that of the address
   * @param tls certificate and key, which the listener closes; null: plain HTTP
   * @param trustedProxies peers whose X-Forwarded-For counts
   * @param callsMax largest number of calls that are carried out at once
   * @param perSecond calls of one principal in a second
   * @param perMinute calls of one principal in a minute
   */
  public record Options(
      BindAddress address,
      @Nullable HttpUrl publicUrl,
      @Nullable Tls tls,
      CidrSet trustedProxies,
      int connectionsMax,
      int callsMax,
      int perSecond,
      int perMinute) {

    /** True if browsers reach the listener by https. */
    public boolean isSecure() {
      return tls != null || (publicUrl != null && publicUrl.tls());
    }

    public SessionCookie sessionCookie() {
      return new SessionCookie(isSecure());
    }
  }

  /** What the listener calls. */
  public record Ports(
      Handlers handlers,
      PrincipalResolver principals,
      DataSource pool,
      InstantSource clock,
      BooleanSupplier isShedding) {}

  /** Creates a listener that does not listen yet. */
  public ControlListener(
      Options options, Ports ports, ControlMetrics metrics, ByteBufAllocator allocator) {
    var rates =
        new CallRates(options.perSecond(), options.perMinute(), Ticker.systemTicker()::nanoTime);
    threads = new CallThreads(options.callsMax());
    tls = options.tls();
    var service =
        new ControlService(
            ports.handlers().routes(),
            new AllowedHosts(options.address(), options.publicUrl(), options.tls() != null),
            options.sessionCookie().name(),
            rates,
            threads,
            ports.isShedding(),
            new CallHandling(ports, options.sessionCookie(), rates));
    loops =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("control-loop", true), Transport.NIO.ioHandlers());
    gateway =
        new Gateway(
            gatewayOptions(options),
            new HttpService.ServicePorts(
                service, new InflightBytes(BODIES_BYTES_MAX), metrics, ports.clock()),
            tls,
            loops,
            Transport.NIO,
            allocator);
  }

  private static GatewayOptions gatewayOptions(Options options) {
    return new GatewayOptions(
        new InetSocketAddress(options.address().host(), options.address().port()),
        false,
        options.trustedProxies(),
        ControlService.BODY_BYTES_MAX,
        ControlService.BODY_BYTES_MAX,
        HEADER_BYTES_MAX,
        options.connectionsMax(),
        CONNECTIONS_PER_ADDRESS_MAX,
        HEADER_TIMEOUT,
        BODY_TIMEOUT,
        WRITE_STALL,
        IDLE_TIMEOUT,
        null,
        null);
  }

  /**
   * Starts to listen; blocks until the address is bound.
   *
   * @throws java.util.concurrent.CompletionException if it cannot be
   */
  public InetSocketAddress bind() {
    return gateway.bind().toCompletableFuture().join();
  }

  /** Returns what accepts, drains and counts the connections. */
  public Gateway gateway() {
    return gateway;
  }

  /** Returns the number of calls that run or wait. */
  public int calls() {
    return threads.begun();
  }

  @Override
  public void close() {
    gateway.close().toCompletableFuture().join();
    loops.shutdownGracefully(0, END_MILLIS_MAX, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    if (tls != null) {
      tls.close();
    }
  }
}
