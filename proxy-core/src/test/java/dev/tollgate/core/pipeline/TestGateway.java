package dev.tollgate.core.pipeline;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.http.Cors;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.ScriptedOffload;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A real gateway on a loopback port before a {@link ScriptedService}. */
final class TestGateway implements AutoCloseable {
  /** The name of {@link #transports()} for parameterized tests. */
  static final String TRANSPORTS = "dev.tollgate.core.pipeline.TestGateway#transports";

  static final GatewayOptions OPTIONS = options(null, null);

  final ScriptedService service = new ScriptedService();
  final InMemoryAuthenticator keys = new InMemoryAuthenticator();
  final BlockingQueue<RequestRecord> records = new LinkedBlockingQueue<>();
  final ScriptedLoad load = new ScriptedLoad();
  final ScriptedRefusals refusals = new ScriptedRefusals();
  final InflightBytes inflightBytes = new InflightBytes(256L * 1024 * 1024);
  final Gateway gateway;
  final int port;
  private final EventLoopGroup loops;
  private final @Nullable Tls tls;
  private final DownloadService downloads;

  TestGateway(Transport transport) {
    this(transport, OPTIONS, null);
  }

  TestGateway(Transport transport, GatewayOptions options, @Nullable SslContext tls) {
    this(transport, options, tls, DownloadService.NONE);
  }

  TestGateway(
      Transport transport,
      GatewayOptions options,
      @Nullable SslContext tls,
      DownloadService downloads) {
    this.downloads = downloads;
    this.tls = tls == null ? null : new Tls(tls);
    loops = new MultiThreadIoEventLoopGroup(1, transport.ioHandlers());
    ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    gateway = new Gateway(options, ports(), this.tls, loops, transport, allocator);
    port = gateway.bind().toCompletableFuture().join().getPort();
  }

  /** The usual options, with a path for probes and pages of other origins. */
  static GatewayOptions options(@Nullable String healthPath, @Nullable Cors cors) {
    return new GatewayOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        false,
        CidrSet.NONE,
        10 * 1024 * 1024,
        25 * 1024 * 1024,
        32 * 1024,
        20_000,
        256,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        Duration.ofSeconds(620),
        healthPath,
        cors);
  }

  private GatewayPorts ports() {
    Catalog none = new Catalog(List.of(), List.of());
    return new GatewayPorts(
        service,
        downloads,
        keys,
        load,
        refusals,
        new BodyPorts(inflightBytes, new ScriptedOffload()),
        records::add,
        InstantSource.system(),
        () -> none);
  }

  /** All that this machine has. */
  static List<Transport> transports() {
    return Arrays.stream(Transport.values()).filter(Transport::isAvailable).toList();
  }

  GatewayGauges gauges() {
    return gateway.gauges();
  }

  RawClient connect() {
    return RawClient.connect(port);
  }

  RequestRecord awaitRecord() throws InterruptedException {
    RequestRecord record = records.poll(10, TimeUnit.SECONDS);
    if (record == null) {
      throw new AssertionError("nothing was recorded");
    }
    return record;
  }

  /** Waits for all that connections do when they close. */
  void awaitNoConnection() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (gauges().open() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("connections stay open: " + gauges());
      }
      loops.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).sync();
    }
    loops.submit(() -> {}).sync();
  }

  /** Looks for streams that stand still until one more was reset. */
  void awaitReset(long bytes) throws InterruptedException {
    long before = gauges().streamsReset();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (gauges().streamsReset() == before) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("nothing was reset: " + gauges());
      }
      gateway.resetStalled(bytes);
      loops.schedule(() -> {}, 50, TimeUnit.MILLISECONDS).sync();
    }
  }

  /** Waits until the counts of connections are as wanted. */
  void awaitGauges(Predicate<GatewayGauges> wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!wanted.test(gauges())) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("connections stay as they are: " + gauges());
      }
      awaitLoops();
    }
  }

  /** Waits until no connection has a request in work. */
  void awaitIdle() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (gauges().byPhase().getOrDefault("idle", 0) < gauges().open()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("requests stay in work: " + gauges());
      }
      awaitLoops();
    }
  }

  /** The thread of the one loop. */
  Thread loopThread() throws InterruptedException {
    return loops.submit(Thread::currentThread).sync().getNow();
  }

  /** Waits for what the loops were told before. */
  void awaitLoops() throws InterruptedException {
    loops.submit(() -> {}).sync();
    loops.submit(() -> {}).sync();
  }

  @Override
  public void close() {
    gateway.close().toCompletableFuture().join();
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    if (tls != null) {
      tls.close();
    }
  }
}
