package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.egress.Fetch;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.exchange.Exchanges;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.limit.LimitObserver;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.testkit.InMemoryIdempotencyStore;
import dev.tollgate.core.testkit.InMemoryLedger;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.ScriptedAccountBalances;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.SocketConnector;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import javax.net.ssl.SSLException;

/** A whole gateway on real sockets and one event loop, with one provider on this machine. */
final class OneLoopGateway implements AutoCloseable {
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, Transport.NIO.ioHandlers());
  private final EventLoop loop = loops.next();
  private final InflightBytes inflight = new InflightBytes(256L * 1024 * 1024);
  private final InMemoryAuthenticator keys = new InMemoryAuthenticator();
  private final Upstreams upstreams;
  private final Gateway gateway;
  private final int port;
  private final String authorization = keys.authorization();

  /**
   * @param offload threads for large bodies
   */
  OneLoopGateway(String dialect, int providerPort, Offload offload) throws SSLException {
    upstreams =
        new Upstreams(
            new SocketConnector(
                new ReflectiveChannelFactory<>(Transport.NIO.socketChannel()),
                DefaultAddressResolverGroup.INSTANCE,
                SslContextBuilder.forClient().build(),
                PooledByteBufAllocator.DEFAULT));
    Catalog catalog = TestCatalog.of(at(TestCatalog.ofDialect(dialect, dialect), providerPort));
    var bodies = new BodyPorts(inflight, offload);
    var ports =
        new GatewayPorts(
            exchanges(bodies),
            keys,
            LoadShedder.NEVER,
            KnownRefusals.NONE,
            bodies,
            record -> {},
            InstantSource.system(),
            () -> catalog);
    gateway =
        new Gateway(
            TestGateway.OPTIONS, ports, null, loops, Transport.NIO, PooledByteBufAllocator.DEFAULT);
    port = gateway.bind().toCompletableFuture().join().getPort();
  }

  private static Provider at(Provider p, int providerPort) {
    return new Provider(
        p.id(),
        p.dialect(),
        new EndpointIdentity(false, "127.0.0.1", providerPort),
        p.basePath(),
        p.credentials(),
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        p.eventBytesMax());
  }

  private Exchanges exchanges(BodyPorts bodies) {
    var limits =
        new Limits(
            new LocalCounters(System::nanoTime, 1_000),
            () -> LimitRules.OFF,
            new Unheard(),
            new RefusalCache());
    return new Exchanges(
        new ProviderPorts(upstreams, new Fleet(), () -> Instant.EPOCH),
        new AdmissionPorts(new InMemoryIdempotencyStore(() -> 0), new InMemoryLedger(), limits),
        new ScriptedAccountBalances(),
        new MediaPorts(
            OneLoopGateway::noImages,
            new ScriptedNames().guard(),
            new ScriptedNames().providers(),
            new Outputs.Passed(),
            JobService.NONE),
        new RecordSinks(record -> {}, record -> new byte[] {'{', '}'}),
        bodies,
        ExchangeOptions.DEFAULT);
  }

  private static Fetch noImages(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone) {
    throw new AssertionError("no image is named");
  }

  private static final class Unheard implements LimitObserver {
    @Override
    public void refused(Fault fault) {}

    @Override
    public void fallbackSkipped(ModelId model, Fault why) {}
  }

  EventLoop loop() {
    return loop;
  }

  /** Opens a connection and sends a chat request; the caller reads the reply. */
  RawClient chat(byte[] body) {
    String head =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(authorization, body.length);
    return RawClient.connect(port).send(head).send(body);
  }

  @Override
  public void close() {
    gateway.close().toCompletableFuture().join();
    upstreams.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    assertThat(inflight.held()).isZero();
  }
}
