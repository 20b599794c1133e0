package dev.tollgate.server.warmup;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.egress.Fetch;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.egress.ProviderAddresses;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.UrlGuard;
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
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.ledger.Reservation;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.LimitObserver;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.pipeline.GatewayOptions;
import dev.tollgate.core.pipeline.GatewayPorts;
import dev.tollgate.core.pipeline.KnownRefusals;
import dev.tollgate.core.pipeline.LoadShedder;
import dev.tollgate.core.pipeline.Transport;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.upstream.Connector;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.RequestMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up a fresh JVM by a few requests through a private gateway to a mock provider. They run on
 * the event loops that will serve, while the store opens. Class loading and linking then delay the
 * start instead of the first clients. The warm-up shares no state with the gateway that serves.
 */
public final class Warmup {
  private static final Logger LOG = LoggerFactory.getLogger(Warmup.class);
  private static final ModelId MODEL = new ModelId("warm", "up");
  private static final int REPLY_MILLIS_MAX = 1_000;
  private static final int BYTES_MAX = 1 << 20;
  private static final Duration LONG = Duration.ofSeconds(10);

  private final Resources resources;
  private final ApiKeyText.ValidKey secret = ApiKeyText.generate(new SecureRandom());

  /** Event loops, sockets and buffers of the gateway that starts; the warm-up shares them. */
  public record Resources(
      EventLoopGroup loops,
      Transport transport,
      ByteBufAllocator allocator,
      Connector connector,
      Offload offload) {}

  private Warmup(Resources resources) {
    this.resources = resources;
  }

  /** Runs the requests and returns; a failure is only logged. */
  public static void run(Resources resources) {
    var warmup = new Warmup(resources);
    try (var mock = MockProvider.start(MockProfile.IMMEDIATE, 0)) {
      warmup.run(new Upstreams(resources.connector()), warmup.catalog(mock.port()));
    } catch (IOException | RuntimeException e) {
      LOG.debug("no warm-up", e);
    }
  }

  private static MediaPorts noMedia() {
    var resolver =
        new PublicAddressResolver((loop, _) -> loop.newFailedFuture(new UnknownHostException()));
    var guard =
        new UrlGuard(
            resolver,
            () -> {
              throw new IllegalStateException("no request names media");
            });
    var addresses = new ProviderAddresses(resolver);
    return new MediaPorts(
        Warmup::noImages, guard, addresses, new Outputs.Passed(), JobService.NONE);
  }

  private static Fetch noImages(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone) {
    throw new IllegalStateException("a warm-up has no images");
  }

  private void run(Upstreams upstreams, Catalog catalog) throws IOException {
    var bodies = new BodyPorts(new InflightBytes(BYTES_MAX), resources.offload());
    var metrics = new RequestMetrics(new Metrics());
    metrics.configured(catalog);
    var ports =
        new GatewayPorts(
            new Exchanges(
                new ProviderPorts(upstreams, new Fleet(), InstantSource.system()),
                new AdmissionPorts(
                    (_, _, _, _) -> {}, // no request carries an idempotency key
                    Warmup::reserve,
                    limits()),
                (_, _, _, _) -> {}, // no request asks for a balance
                noMedia(),
                new RecordSinks(metrics, record -> new byte[0]),
                bodies,
                ExchangeOptions.DEFAULT),
            (key, _, _, whenKnown) -> whenKnown.accept(find(key)),
            LoadShedder.NEVER,
            KnownRefusals.NONE,
            bodies,
            metrics,
            InstantSource.system(),
            () -> catalog);
    var gateway =
        new Gateway(
            options(),
            ports,
            null,
            resources.loops(),
            resources.transport(),
            resources.allocator());
    try {
      InetSocketAddress address = gateway.bind().toCompletableFuture().join();
      send(address, false);
      // The gateway distributes connections over its loops in turn.
      for (EventExecutor _ : resources.loops()) {
        send(address, true);
      }
    } finally {
      gateway.close().toCompletableFuture().join();
      upstreams.close();
    }
  }

  private void send(InetSocketAddress address, boolean stream) throws IOException {
    String body =
        """
        {"model":"%s","stream":%s,"messages":[{"role":"user","content":"Hello"}]}"""
            .formatted(MODEL, stream);
    String head =
        """
        POST /v1/chat/completions HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        Connection: close\r
        \r
        """
            .formatted(secret.text(), body.length());
    try (var socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout(REPLY_MILLIS_MAX);
      socket.getOutputStream().write((head + body).getBytes(StandardCharsets.US_ASCII));
      byte[] reply = socket.getInputStream().readAllBytes();
      LOG.debug("warm-up reply of {} bytes", reply.length);
    }
  }

  /** Grants every reservation: the model is free. */
  private static void reserve(
      RequestId request,
      ApiKey key,
      MicroUsd costMax,
      Executor loop,
      Consumer<Ledger.ReserveResult> answer) {
    answer.accept(new Ledger.ReserveResult.Reserved(new NoopReservation()));
  }

  private static final class NoopReservation implements Reservation {
    @Override
    public void begin() {}

    @Override
    public void progress(MicroUsd cost, JournalRecord.Tokens tokens) {}

    @Override
    public void settle(
        MicroUsd cost,
        JournalRecord.Tokens tokens,
        SettlementKind how,
        byte[] row,
        Runnable durable) {
      durable.run();
    }

    @Override
    public void release() {}
  }

  /** Returns limits that are never reached, so that their classes are loaded too. */
  private static Limits limits() {
    long unlimited = Bucket.CAPACITY_MAX;
    var rates = new LimitRules.Rates(unlimited, unlimited);
    var rules =
        new LimitRules(
            rates, rates, new LimitRules.PerKey(rates, unlimited, BYTES_MAX), rates, Map.of());
    LongSupplier nanos = Ticker.systemTicker()::nanoTime;
    return new Limits(
        new LocalCounters(nanos, 16), () -> rules, new NoopLimitObserver(), new RefusalCache());
  }

  private static final class NoopLimitObserver implements LimitObserver {
    @Override
    public void refused(Fault fault) {}

    @Override
    public void fallbackSkipped(ModelId model, Fault why) {}
  }

  private CacheResult.FinalResult find(ApiKeyText.ValidKey asked) {
    return asked.equals(secret) ? new CacheResult.Known(key()) : new CacheResult.Unknown();
  }

  private ApiKey key() {
    return new ApiKey(
        secret.keyId(),
        "warm-up",
        secret.lastFour(),
        new Org(new OrgId(new UUID(0, 0)), "warm-up", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        ApiKey.KeyScope.ALL,
        ApiKey.KeyLimits.DEFAULT);
  }

  private Catalog catalog(int port) {
    var provider =
        new Provider(
            new ProviderId("warm-up"),
            "openai",
            new EndpointIdentity(false, "127.0.0.1", port),
            "/v1",
            List.of(),
            Map.of(),
            Provider.ProviderTimeouts.DEFAULT,
            Provider.PoolLimits.DEFAULT,
            Provider.CircuitOptions.DEFAULT,
            Provider.Quirks.NONE,
            new Provider.OnDisconnect.Cancel(),
            BYTES_MAX);
    var model =
        new Model(
            MODEL,
            Modality.CHAT,
            "",
            "",
            Instant.EPOCH,
            0,
            0,
            1,
            1,
            Set.of(),
            PriceList.FREE,
            Resume.OFF,
            false,
            List.of(new Route(provider, "chat", 1, 1)),
            Duration.ZERO);
    return new Catalog(List.of(provider), List.of(model));
  }

  private static GatewayOptions options() {
    return new GatewayOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        false,
        CidrSet.NONE,
        BYTES_MAX,
        BYTES_MAX,
        BYTES_MAX,
        16,
        0,
        LONG,
        LONG,
        LONG,
        LONG,
        null,
        null);
  }
}
