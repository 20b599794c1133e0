package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.exchange.Exchanges;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One gateway loop in frozen time: the test controls the client, the providers and the clock, and
 * nothing happens that it did not cause. Closing it requires that every request was recorded once
 * and that nothing is still held: no bytes, lease, queue slot, permit or timer.
 */
public final class Scenario implements AutoCloseable {
  private static final String FORM = "multipart/form-data; boundary=b";
  private static final long BUDGET_BYTES = 1 << 20;
  private static final Duration STORING = Duration.ofSeconds(20);
  private static final Duration STEP = Duration.ofMillis(100);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final RationedAllocator buffers = new RationedAllocator(allocator);
  private final ScriptedConnector connector = new ScriptedConnector(allocator);
  private final Upstreams upstreams = new Upstreams(connector);
  private final Fleet fleet = new Fleet();
  private final InMemoryLedger ledger = new InMemoryLedger();
  private final ScriptedAccountBalances accountBalances = new ScriptedAccountBalances();
  private final LocalCounters counters = new LocalCounters(ticker::nanoTime, 1_000);
  private final DelayedCounters delayedCounters = new DelayedCounters(counters);
  private final RecordingLimitObserver limitObserver = new RecordingLimitObserver();
  private final InMemoryIdempotencyStore submissions =
      new InMemoryIdempotencyStore(ticker::nanoTime);
  private final Limits limits =
      new Limits(delayedCounters, () -> this.rules, limitObserver, new RefusalCache());
  private final ScriptedNames names = new ScriptedNames();
  private final ImageFetchClient images = names.fetcher(connector);
  private final ScriptedOffload offload = new ScriptedOffload();
  private final InMemoryJobs jobs = new InMemoryJobs();
  private final InflightBytes inflight;
  private LimitRules rules = LimitRules.OFF;
  private KeyLimits keyLimits = KeyLimits.DEFAULT;
  private KeyScope keyScope = KeyScope.ALL;
  private OrgId organization = TestCatalog.ORG;
  private ResponseEventSet eventsNeeded = ResponseEventSet.LISTED;
  private final List<RequestRecord> records = new ArrayList<>();
  private final List<RecordedClient> clients = new ArrayList<>();
  private final Exchanges exchanges;
  private final Catalog catalog;

  /** Time of the wall clock. */
  public static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private Scenario(Catalog catalog, ExchangeOptions options, long budgetBytes, Outputs outputs) {
    this.catalog = catalog;
    this.inflight = new InflightBytes(budgetBytes);
    this.exchanges =
        new Exchanges(
            new ProviderPorts(upstreams, fleet, () -> NOW),
            new AdmissionPorts(submissions, ledger, limits),
            accountBalances,
            new MediaPorts(
                images, names.guard(), names.providers(), outputs, Optional.of(jobs.service())),
            new RecordSinks(records::add, ExplainedCharge::row),
            new BodyPorts(inflight, offload),
            options);
  }

  /** Creates a scenario with the usual options and budget. */
  public static Scenario of(Catalog catalog) {
    return of(catalog, BUDGET_BYTES);
  }

  /** Creates a scenario that stores outputs. */
  public static Scenario storing(Catalog catalog, BlobStore blobs, long budgetBytes) {
    var outputs = new Outputs.Kept(blobs, Duration.ofDays(1), STORING);
    return new Scenario(catalog, ExchangeOptions.DEFAULT, budgetBytes, outputs);
  }

  public static Scenario of(Catalog catalog, ExchangeOptions options) {
    return new Scenario(catalog, options, BUDGET_BYTES, new Outputs.Passed());
  }

  /** Creates a scenario with a memory budget. */
  public static Scenario of(Catalog catalog, long budgetBytes) {
    return new Scenario(catalog, ExchangeOptions.DEFAULT, budgetBytes, new Outputs.Passed());
  }

  // Controls of a test

  /** Sends later requests as this organization. */
  public void of(OrgId org) {
    organization = org;
  }

  /** Sends later requests with a client software that needs these events. */
  public void needing(ResponseEventSet events) {
    eventsNeeded = events;
  }

  /** Sends a whole chat request. */
  public RecordedClient ask(String body) {
    return ask(body.getBytes(UTF_8));
  }

  /** Sends a chat request in the array that it was collected into. */
  public RecordedClient ask(byte[] body) {
    return ask(Endpoint.CHAT_COMPLETIONS, body);
  }

  /** Sends a request that the code never expects: its body claims a byte more than it has. */
  public RecordedClient askImpossible() {
    return askImpossible(TestCatalog.PLAIN_REQUEST.getBytes(UTF_8));
  }

  /** Sends a chat request that claims a byte more than it has. */
  public RecordedClient askImpossible(byte[] bytes) {
    return start(Endpoint.CHAT_COMPLETIONS, bytes, bytes.length + 1, ticker.nanoTime(), null);
  }

  /** Requests a stream after a slow upload of the request. */
  public RecordedClient askStreamAfterUpload(Duration upload) {
    return askAfterUpload(TestCatalog.STREAM_REQUEST, upload);
  }

  /** Requests a plain reply after a slow upload of the request. */
  public RecordedClient askPlainAfterUpload(Duration upload) {
    return askAfterUpload(TestCatalog.PLAIN_REQUEST, upload);
  }

  private RecordedClient askAfterUpload(String body, Duration upload) {
    long before = ticker.nanoTime();
    ticker.advance(upload.toNanos(), TimeUnit.NANOSECONDS);
    byte[] bytes = body.getBytes(UTF_8);
    return start(Endpoint.CHAT_COMPLETIONS, bytes, bytes.length, before, null);
  }

  /** Sends a request without a body. */
  public RecordedClient get(Endpoint endpoint) {
    return start(endpoint, new byte[0], 0, ticker.nanoTime(), null);
  }

  /** Sends a request with an idempotency key. */
  public RecordedClient submit(Endpoint endpoint, String body, String key) {
    byte[] bytes = body.getBytes(UTF_8);
    return start(endpoint, bytes, bytes.length, ticker.nanoTime(), key);
  }

  /** Sends a request about a job. */
  public RecordedClient job(Endpoint endpoint, String id) {
    return start(endpoint, id, new byte[0], 0, ticker.nanoTime(), null);
  }

  /** Sends a request with a body. */
  public RecordedClient ask(Endpoint endpoint, String body) {
    return ask(endpoint, body.getBytes(UTF_8));
  }

  /** Sends a body in the array that it was collected into. */
  public RecordedClient ask(Endpoint endpoint, byte[] body) {
    return start(endpoint, body, body.length, ticker.nanoTime(), null);
  }

  private RecordedClient start(
      Endpoint endpoint, byte[] bytes, int length, long admittedNanos, @Nullable String key) {
    return start(endpoint, type(endpoint, bytes), bytes, length, admittedNanos, key);
  }

  private RecordedClient start(
      Endpoint endpoint,
      String argument,
      byte[] bytes,
      int length,
      long admittedNanos,
      @Nullable String key) {
    RecordedClient client = new RecordedClient(loop.eventLoop(), buffers);
    clients.add(client);
    InflightBytes.Permit permit = inflight.tryAcquire(bytes.length).orElseThrow();
    ExchangeRequest request =
        new ExchangeRequest(
            RequestId.at(1_700_000_000_000L),
            endpoint,
            argument,
            key,
            new ExchangeRequest.Caller(
                TestCatalog.key(keyLimits, keyScope, organization), "192.0.2.7", eventsNeeded),
            catalog,
            admittedNanos,
            new Body(bytes, length, permit, ticker.nanoTime() - admittedNanos));
    client.attach(exchanges.start(request, client));
    run();
    return client;
  }

  private static String type(Endpoint endpoint, byte[] body) {
    return switch (endpoint.content()) {
      case NONE, JSON -> "";
      case MULTIPART -> FORM;
      case JSON_OR_MULTIPART -> body[0] == '-' ? FORM : "application/json";
    };
  }

  public RecordedClient askStream() {
    return ask(TestCatalog.STREAM_REQUEST);
  }

  public RecordedClient askPlain() {
    return ask(TestCatalog.PLAIN_REQUEST);
  }

  /** Lets time pass, in small steps. */
  public Scenario pass(Duration time) {
    long left = time.toNanos();
    while (left > 0) {
      long step = Math.min(left, STEP.toNanos());
      ticker.advance(step, TimeUnit.NANOSECONDS);
      left -= step;
      run();
    }
    return this;
  }

  /** Lets time pass in one step. */
  public Scenario passCoarse(long millis) {
    ticker.advanceMillis(millis);
    return run();
  }

  public Scenario passMillis(long millis) {
    return pass(Duration.ofMillis(millis));
  }

  public Scenario passSeconds(long seconds) {
    return pass(Duration.ofSeconds(seconds));
  }

  /** Runs everything that can run now. */
  public Scenario run() {
    boolean busy = true;
    while (busy) {
      loop.runPendingTasks();
      busy = connector.runLinks() || loop.hasPendingTasks();
    }
    return this;
  }

  public ScriptedConnector connector() {
    return connector;
  }

  // Queries of a test

  /** Returns the n-th connection to a provider, from 0. */
  public ProviderLink link(int n) {
    run();
    List<ProviderLink> links = connector.links();
    if (links.size() <= n) {
      throw new AssertionError("only " + links.size() + " connections were made");
    }
    return links.get(n);
  }

  public int links() {
    return connector.links().size();
  }

  /** Returns the number of requests that providers got so far, over all connections. */
  public int requests() {
    run();
    return connector.links().stream().mapToInt(ProviderLink::requests).sum();
  }

  /** Returns the connection with the last request to a provider. */
  public ProviderLink lastRequestLink() {
    return connector.links().stream()
        .filter(ProviderLink::isOpen)
        .reduce((earlier, later) -> later)
        .orElseThrow(() -> new AssertionError("no open connection"));
  }

  /** Returns the allocator of the gateway's own buffers. */
  public RationedAllocator buffers() {
    return buffers;
  }

  public InMemoryLedger ledger() {
    return ledger;
  }

  /** True if no request of a disconnected client is still running. */
  public boolean isDrained() {
    return exchanges.detachedRequests().toCompletableFuture().isDone();
  }

  public ScriptedNames names() {
    return names;
  }

  public InMemoryJobs jobs() {
    return jobs;
  }

  /** Returns the threads for large bodies. */
  public ScriptedOffload offload() {
    return offload;
  }

  public InMemoryIdempotencyStore submissions() {
    return submissions;
  }

  public ScriptedAccountBalances accountBalances() {
    return accountBalances;
  }

  public Scenario limits(LimitRules now) {
    rules = now;
    return this;
  }

  public Scenario keyLimits(KeyLimits own) {
    keyLimits = own;
    return this;
  }

  public Scenario keyScope(KeyScope only) {
    keyScope = only;
    return this;
  }

  /** Returns the cached refusal that a request of the key would get at its head. */
  public RefusalCache.@Nullable CachedRefusal knownRefusal() {
    return limits.cachedRefusal(TestCatalog.key(keyLimits), ticker.nanoTime());
  }

  public DelayedCounters counters() {
    return delayedCounters;
  }

  public int slotsInUse() {
    return counters.slotsInUse();
  }

  /** Returns the models that metrics counted as skipped, with the code. */
  public List<String> skippedByLimit() {
    return List.copyOf(limitObserver.passedOver);
  }

  /** Returns the refusals that metrics counted. */
  public List<Fault> limited() {
    return List.copyOf(limitObserver.limited);
  }

  public InflightBytes inflight() {
    return inflight;
  }

  public Fleet fleet() {
    return fleet;
  }

  /** Returns the circuits on which the organization's requests to a provider depend. */
  public ObservedCircuits circuits(Provider provider) {
    return ObservedCircuits.of(fleet, catalog, provider, organization, nanos());
  }

  public Upstreams upstreams() {
    return upstreams;
  }

  public long nanos() {
    return ticker.nanoTime();
  }

  public List<RequestRecord> records() {
    return List.copyOf(records);
  }

  /** Returns the only record. */
  public RequestRecord record() {
    if (records.size() != 1) {
      throw new AssertionError(records.size() + " records: " + records);
    }
    return records.getFirst();
  }

  /** Returns the routing and provider part of the only record. */
  public Served served() {
    return served(record());
  }

  /** Returns the routing and provider part of the last record. */
  public Served lastServed() {
    return served(records.getLast());
  }

  private static Served served(RequestRecord record) {
    Served served = record.served();
    if (served == null) {
      throw new AssertionError("not routed: " + record);
    }
    return served;
  }

  public int leased() {
    return upstreams.gauges().stream().mapToInt(Upstreams.Gauge::leased).sum();
  }

  /** Requires that nothing is held, although connections may still be open. */
  public void requireQuiet() {
    for (RecordedClient client : clients) {
      require(!client.hasUnflushed(), "something was not flushed");
    }
    require(records.size() == clients.size(), clients.size() + " requests, records: " + records);
    if (leased() > 0) { // a lingering lease has a second
      passMillis(1_100);
    }
    require(leased() == 0, "leases are held: " + upstreams.gauges());
    upstreams.gauges().forEach(g -> require(g.pending() == 0, "a request waits: " + g));
    require(slotsInUse() == 0, slotsInUse() + " slots are held");
    require(delayedCounters.open() == 0, delayedCounters.open() + " permits are held");
    require(ledger.open() == 0, ledger.open() + " reservations are held");
    require(isDrained(), "a request without its client is still running");
    require(submissions.open() == 0, submissions.open() + " claims are held");
    require(inflight.held() == 0, inflight.held() + " bytes of the budget are held");
    require(images.inFlight() == 0, images.inFlight() + " images are being fetched");
    require(offload.held() == 0, offload.held() + " tasks over bodies are left");
    require(names.pending() == 0, "a name is being resolved");
    require(connector.pending() == 0, "a connection is still being made");
    for (Provider provider : catalog.providers()) {
      int attempts = fleet.provider(provider).inFlight();
      require(attempts == 0, attempts + " attempts at " + provider.id() + " have not ended");
    }
  }

  @Override
  public void close() {
    run();
    requireQuiet();
    upstreams.close();
    run();
    connector.links().forEach(link -> require(!link.isOpen(), "open: " + link));
    upstreams.gauges().forEach(g -> require(g.open() == 0, "open connections counted: " + g));
    connector.links().forEach(ProviderLink::closeQuietly);
    run();
    require(loop.runScheduledPendingTasks() == -1, "a timer is left");
    long heap = allocator.metric().usedHeapMemory();
    long direct = allocator.metric().usedDirectMemory();
    require(heap == 0 && direct == 0, "LEAK: " + heap + " heap, " + direct + " direct bytes");
    var _ = loop.close();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
