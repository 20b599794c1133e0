package dev.tollgate.server.wiring;

import dev.tollgate.core.egress.ProviderAddresses;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.egress.UrlGuard;
import dev.tollgate.core.exchange.Exchanges;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.pipeline.GatewayPorts;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.upstream.Connector;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.maintenance.StoreMaintenance;
import dev.tollgate.server.metrics.LoadFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.oauth.AccessTokens;
import dev.tollgate.server.ops.AccessLog;
import dev.tollgate.server.ops.AdminRoute;
import dev.tollgate.server.ops.AdminServer;
import dev.tollgate.server.ops.Allocations;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.ConfigReload;
import dev.tollgate.server.ops.DrainMetrics;
import dev.tollgate.server.ops.GatewayTraffic;
import dev.tollgate.server.ops.Health;
import dev.tollgate.server.ops.LogFlush;
import dev.tollgate.server.ops.LoopLag;
import dev.tollgate.server.ops.Memory;
import dev.tollgate.server.ops.NodeRefusals;
import dev.tollgate.server.ops.RequestMetrics;
import dev.tollgate.server.ops.RingAppender;
import dev.tollgate.server.ops.Shutdown;
import dev.tollgate.server.ops.Signals;
import dev.tollgate.server.ops.UpstreamGauges;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.CatalogBuilder;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.Settings;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway process: builds, starts, drains and closes all parts of a node. The admin listener
 * opens first and closes last; the store, which takes longest, opens while the rest is built.
 */
public final class Server implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  /** A node starts without tokens after this time, and serves its other providers. */
  private static final Duration FIRST_TOKENS_MAX = Duration.ofSeconds(5);

  /** Bound of the large bodies that wait for a thread to read or write them. */
  private static final int BODY_QUEUE_MAX = 256;

  private final Settings settings;
  private final Supplier<LoadResult> reread;
  private final long beganNanos = Ticker.systemTicker().nanoTime();
  private final Health health = new Health();
  private final Metrics metrics = new Metrics();
  private final RequestMetrics requestMetrics = new RequestMetrics(metrics);
  private final Fleet fleet = new Fleet();
  private final Closers closers = new Closers();
  private final CompletableFuture<Running> running = new CompletableFuture<>();
  private final AtomicReference<@Nullable ExitReason> exitReason = new AtomicReference<>();
  private volatile Iterable<? extends EventExecutor> loops = List.of();
  private volatile String baseUrl = ""; // empty until the listener is bound
  private volatile Runnable stopRecovery = () -> {};
  private volatile Runnable wakeWebhooks = () -> {};
  private Runnable startWebhooks = () -> {};
  private volatile Runnable wakeWorkers = () -> {};

  /** Parts of the gateway that exist once it serves. */
  private record Running(
      AdminServer admin, Store store, Shutdown shutdown, ConfigReload<Snapshots.Snapshot> reload) {}

  /** Result of a start that did not fail: ready, or stopped before. */
  public sealed interface Start {
    /** The gateway serves. */
    record Ready(StartupInfo greeting) implements Start {}

    /** The gateway was stopped before it served. */
    record Stopped() implements Start {}
  }

  /**
   * Creates a gateway without starting it.
   *
   * @param reread loads the same configuration again, for reloads
   */
  public Server(Settings settings, Supplier<LoadResult> reread) {
    this.settings = settings;
    this.reread = reread;
  }

  /** Installs handlers: SIGTERM and SIGINT drain and end the process, SIGHUP reloads. */
  public void installSignalHandlers() {
    Signals.onStop(this::stop);
    Signals.onHangUp(() -> running.thenAccept(now -> Thread.startVirtualThread(now.reload()::now)));
  }

  /** Starts everything and returns when the gateway is ready or was stopped. It is called once. */
  public Start start() throws StartException, InterruptedException {
    try {
      GatewayModule.requireFree(settings.listeners());
      return begin();
    } catch (StartException e) {
      if (isStarting()) {
        throw e;
      }
      LOG.info("stopped while starting: {}", e.getMessage());
      return new Start.Stopped();
    }
  }

  private boolean isStarting() {
    return health.state() == Health.State.STARTING;
  }

  private Start begin() throws StartException, InterruptedException {
    AdminServer admin = startAdminListener();
    var opening = StoreOpening.begin(settings, this::isStarting);
    closers.add("store", opening::close);
    var network = new Network(settings.server());
    closers.add("network", network);
    Connector connector = network.connector();
    var upstreams = new Upstreams(connector);
    Snapshots snapshots = snapshots(network, upstreams);
    StorageModule storage = storage(network, upstreams);
    LimitModule limits = limitModule(snapshots);
    BodyPorts bodies = bodyPorts();
    network.warmUp(connector, bodies.offload());
    Store store = opening.await();
    if (!isStarting()) {
      return new Start.Stopped();
    }
    snapshots.keepPrices(store.priceSheets());
    BoundedOffload offload = offload();
    KeyModule keys = keys(store, offload, limits);
    RequestObserver observer = observer(store);
    Submissions submissions = submissions(store); // closed after every holder of a claim
    LedgerService ledger = ledgerService(store, upstreams);
    var exchanges =
        new Exchanges(
            new ProviderPorts(upstreams, fleet, ledger.clock()),
            new AdmissionPorts(submissions.port(), ledger.ledger(), limits.limits()),
            ledger.balances(store, offload),
            media(network, store, storage, snapshots),
            new RecordSinks(observer, AccessLog::line),
            bodies,
            GatewayModule.exchangeOptions(settings));
    DrainMetrics.register(exchanges.drains(), metrics);
    var shedding = new LoadSheddingModule(settings, metrics);
    closers.add("request view", ControlModule.projector(store, shedding.shedder(), metrics));
    var ports =
        new GatewayPorts(
            exchanges,
            storage.downloads(),
            keys.authenticator(),
            shedding.shedder(),
            new NodeRefusals(limits.limits(), limits.budgets(), ledger.ledger()),
            bodies,
            observer,
            ledger.clock(),
            snapshots::catalog);
    Gateway gateway = listening(network, snapshots, ports, bodies.inflight());
    closers.add("jobs", jobWorkers(store, storage, network, snapshots));
    var loads = new LoadSheddingModule.LoadSources(bodies.inflight(), offload, ledger::backlog);
    closers.add("load monitor", shedding.startMonitor(network, gateway, loads));
    if (!isStarting()) {
      return new Start.Stopped();
    }
    var control = controlPlane(store, network, ledger, snapshots, keys, limits, shedding);
    serve(admin, store, control.with(gateway), snapshots, upstreams);
    String key = opening.bootstrap().map(made -> made.secret().text()).orElse(null);
    return new Start.Ready(
        new StartupInfo(
            baseUrl + "/v1", key, snapshots.chatModel(), control.url(), control.setUpUrl()));
  }

  private ControlModule controlPlane(
      Store store,
      Network network,
      LedgerService ledger,
      Snapshots snapshots,
      KeyModule keys,
      LimitModule limits,
      LoadSheddingModule shedding)
      throws StartException {
    var changes = new TenantChanges(keys::pollSoon, settings.redis());
    var traffic =
        new ControlModule.Traffic(shedding.shedder(), snapshots::catalog, fleet, limits.levels());
    var node =
        new ControlModule.Node(
            ledger.node(),
            ledger.clock(),
            baseUrl + "/v1",
            snapshots::now,
            changes::announce,
            traffic);
    var control = ControlModule.begin(settings, store, network, metrics, node);
    closers.add("control plane", control);
    return control;
  }

  private KeyModule keys(Store store, BoundedOffload offload, LimitModule limitModule) {
    var keys = KeyModule.begin(store, offload, limitModule, metrics);
    health.addReadinessCheck(keys::obstacle);
    closers.add("key polling", keys::close);
    return keys;
  }

  private MediaPorts media(Network network, Store store, StorageModule storage, Snapshots snapshots)
      throws StartException {
    var resolver = FetchModule.resolver(network, metrics);
    var connector = new PublicConnector(resolver, network.addressConnector());
    prepareWebhooks(network, store, storage, snapshots);
    return new MediaPorts(
        FetchModule.begin(connector, snapshots::fetches, metrics),
        new UrlGuard(resolver, () -> snapshots.fetches().urls()),
        new ProviderAddresses(resolver),
        storage.outputs(),
        jobModule(store).service());
  }

  private AdminServer startAdminListener() throws StartException, InterruptedException {
    var admin = settings.listeners().admin();
    try {
      var server =
          AdminServer.listen(GatewayModule.socketAddress(admin.address()), admin.token(), health);
      closers.add("admin listener", server);
      server.handle(AdminRoute.METRICS, AdminServer.metrics(metrics));
      server.register(metrics);
      return server;
    } catch (IOException e) {
      throw new StartException("listeners.admin: " + e.getMessage(), e);
    }
  }

  private StorageModule storage(Network network, Upstreams upstreams) throws StartException {
    var where = settings.objectStorage();
    var storage = StorageModule.open(where, upstreams, network.allocator(), metrics, () -> baseUrl);
    closers.add("object storage", storage);
    return storage;
  }

  private LimitModule limitModule(Snapshots snapshots) throws StartException, InterruptedException {
    var limitModule = LimitModule.begin(settings, snapshots::limits, metrics);
    closers.add("limits", limitModule);
    return limitModule;
  }

  private BoundedOffload offload() {
    var offload =
        new BoundedOffload(
            settings.store().pool().max(), settings.server().overload().offloadQueue());
    closers.add("offload", offload);
    metrics.gauge(StoreFamily.OFFLOAD_DEPTH, offload::depth);
    metrics.counter(StoreFamily.OFFLOAD_REFUSED, offload::refused);
    return offload;
  }

  /**
   * Returns memory and threads for bodies: half as many threads as processors, because they compete
   * with the event loops.
   */
  private BodyPorts bodyPorts() {
    int threadCount = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    var offload = new BoundedOffload("body-", threadCount, BODY_QUEUE_MAX);
    closers.add("body offload", offload);
    metrics.gauge(LoadFamily.BODY_QUEUE, offload::depth);
    metrics.counter(LoadFamily.BODIES_REFUSED, offload::refused);
    return new BodyPorts(inflight(), offload);
  }

  /** Prepares webhooks, which start after the listener. */
  private void prepareWebhooks(
      Network network, Store store, StorageModule storage, Snapshots snapshots)
      throws StartException {
    WebhookModule.prepare(store, storage, network, snapshots, metrics)
        .ifPresent(
            sender -> {
              closers.add("webhooks", sender);
              wakeWebhooks = sender::wakeUp;
              startWebhooks = sender::start;
            });
  }

  private JobModule jobModule(Store store) {
    var module = JobModule.begin(store, settings, metrics, () -> wakeWorkers.run());
    closers.add("media jobs", module);
    return module;
  }

  private InflightBytes inflight() {
    long bytesMax = settings.server().inflightBytesMaxOn(Runtime.getRuntime().maxMemory());
    return new InflightBytes(bytesMax, Memory.heapRegionBytes());
  }

  private Submissions submissions(Store store) {
    var kept = settings.server().idempotency();
    var submissions = Submissions.begin(store, kept, metrics);
    closers.add("submissions", submissions);
    return submissions;
  }

  private LedgerService ledgerService(Store store, Upstreams upstreams) throws StartException {
    var listener =
        new LedgerService.Listener() {
          @Override
          public void recoveryStarted(Runnable abort) {
            stopRecovery = abort;
            if (!isStarting()) {
              abort.run();
            }
          }

          @Override
          public void diskFailed(Throwable failure) {
            LOG.error(
                "the disk of {} failed: requests can no longer be charged, the process ends",
                settings.store().dataDir(),
                failure);
            LogFlush.flush();
            Runtime.getRuntime().halt(1);
          }

          @Override
          public void shutdownRequired(ExitReason why) {
            // A drain that has begun is not cut short.
            drain(why, Shutdown::beginUnlessBegun);
          }
        };
    var ledger = LedgerService.open(store, settings.store().dataDir(), settings.ledger(), listener);
    closers.add("ledger", ledger);
    ledger.register(metrics);
    health.addReadinessCheck(
        () -> ledger.ledger().unavailableReason().map(why -> "ledger: " + why));
    var maintenance = new StoreMaintenance(store, settings.ledger());
    closers.add("store maintenance", maintenance);
    maintenance.register(metrics);
    maintenance.start();
    // Closed before the ledger: exchanges that drain an upstream for its usage end, and are
    // charged.
    closers.add("upstream connections", upstreams::close);
    return ledger;
  }

  private JobWorkers jobWorkers(
      Store store, StorageModule storage, Network network, Snapshots snapshots)
      throws StartException {
    var rows = store.jobRows(JobWorkers.CONNECTIONS);
    Runnable wake = () -> wakeWebhooks.run();
    var workers = JobWorkers.begin(settings, rows, storage, network, snapshots::now, metrics, wake);
    wakeWorkers = workers::wake;
    return workers;
  }

  private RequestObserver observer(Store store) {
    var lines = settings.telemetry().accessLog();
    return RequestObservers.begin(lines, store, requestMetrics, metrics, closers);
  }

  private Gateway listening(
      Network network, Snapshots snapshots, GatewayPorts ports, InflightBytes inflight)
      throws StartException {
    Gateway gateway = bound(GatewayModule.create(settings, snapshots, network, ports));
    register(network, gateway, inflight);
    startWebhooks.run(); // URLs of artifacts need the bound address
    return gateway;
  }

  private Gateway bound(Gateway gateway) throws StartException {
    closers.add("gateway", () -> gateway.close().toCompletableFuture().join());
    baseUrl = GatewayModule.bind(gateway, settings.listeners().api());
    return gateway;
  }

  private void register(Network network, Gateway gateway, InflightBytes inflight) {
    GatewayModule.register(metrics, gateway);
    metrics.gauge(ProcessFamily.INFLIGHT_BYTES, inflight::held);
    metrics.counter(ProcessFamily.LOG_DROPPED, RingAppender::dropped);
    metrics.gauge(ProcessFamily.READY, () -> health.isReady() ? 1 : 0);
    metrics.buffers(network.allocator());
    metrics.jvm();
    loops = network.loops();
    Allocations.show(metrics, loops);
    closers.add("lag probes", new LoopLag(metrics, loops));
  }

  private Snapshots snapshots(Network network, Upstreams upstreams)
      throws StartException, InterruptedException {
    var mocks = new MockProviders(settings.providers());
    closers.add("mock providers", mocks);
    var egress = new EgressEndpoints(settings.egress(), null);
    AccessTokens tokens = AccessTokenModule.begin(network, upstreams, egress, metrics);
    closers.add("access tokens", tokens);
    var builder = new CatalogBuilder(mocks::port, tokens::of);
    var snapshots =
        new Snapshots(settings, reread, builder, requestMetrics, upstreams, fleet, egress);
    closers.add("certificates", snapshots);
    tokens.awaitFirst(FIRST_TOKENS_MAX);
    return snapshots;
  }

  private void serve(
      AdminServer admin,
      Store store,
      GatewayTraffic traffic,
      Snapshots snapshots,
      Upstreams upstreams) {
    EventExecutor clock = new DefaultEventExecutor(new DefaultThreadFactory("drain", true));
    closers.add("drain", () -> clock.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    var end = settings.server().shutdown();
    var shutdown = new Shutdown(clock, health, traffic, end.delay(), end.timeout());
    var reload = snapshots.reload(store.priceSheets());
    reload.register(metrics);
    var gauges =
        new UpstreamGauges(upstreams, snapshots::catalog, fleet, Ticker.systemTicker(), metrics);
    OperatorRoutes.open(admin, snapshots, reload, gauges, this::stop);
    double took = (Ticker.systemTicker().nanoTime() - beganNanos) / 1e9;
    metrics.gauge(ProcessFamily.START_DURATION, () -> took);
    health.transitionTo(Health.State.READY);
    running.complete(new Running(admin, store, shutdown, reload));
    LOG.info("ready after {} ms", Math.round(took * 1e3));
  }

  /** Returns the event loops. */
  Iterable<? extends EventExecutor> loops() {
    return loops;
  }

  /** Returns the names of open resources, in the order in which they close. */
  List<String> closing() {
    return closers.names();
  }

  InetSocketAddress adminAddress() {
    return running.join().admin().address();
  }

  public Store store() {
    return running.join().store();
  }

  /** Waits until a drain has ended. */
  public void awaitDrained() {
    running.thenCompose(now -> now.shutdown().drained()).join();
  }

  /** Returns why the gateway ended or is about to end. */
  public ExitReason exitReason() {
    return Objects.requireNonNullElse(exitReason.get(), ExitReason.REQUESTED);
  }

  /** Begins to drain; a second call ends the remaining requests. */
  public void stop() {
    drain(ExitReason.REQUESTED, Shutdown::begin);
  }

  /** The first reason determines the exit code. */
  private void drain(ExitReason why, Consumer<Shutdown> how) {
    exitReason.compareAndSet(null, why);
    health.transitionTo(Health.State.DRAINING);
    stopRecovery.run();
    running.thenAccept(now -> how.accept(now.shutdown()));
  }

  /** Closes all opened resources in reverse order. */
  @Override
  public void close() {
    closers.close();
    health.transitionTo(Health.State.STOPPED);
  }
}
