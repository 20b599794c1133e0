package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.egress.ImageFetchClient;
import dev.tollgate.core.exchange.Exchanges;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.Body;
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
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One gateway loop in frozen time: the test holds the client, the providers and the clock, and
 * nothing happens that it did not cause. Closing it requires that every request was recorded once
 * and that nothing is held any more: no byte, lease, waiting place, permit or timer.
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
  private final InMemoryJobs jobs = new InMemoryJobs();
  private final InflightBytes inflight;
  private LimitRules rules = LimitRules.OFF;
  private KeyLimits keyLimits = KeyLimits.DEFAULT;
  private KeyScope keyScope = KeyScope.ALL;
  private OrgId organization = new OrgId(new UUID(1, 2));
  private final List<RequestRecord> records = new ArrayList<>();
  private final List<RecordedClient> clients = new ArrayList<>();
  private final Exchanges exchanges;
  private final Catalog catalog;

  /** What the clock on the wall says. */
  public static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private Scenario(Catalog catalog, ExchangeOptions options, long budgetBytes) {
    this(catalog, options, budgetBytes, new Outputs.Passed());
  }

  private Scenario(Catalog catalog, ExchangeOptions options, long budgetBytes, Outputs outputs) {
    this.catalog = catalog;
    this.inflight = new InflightBytes(budgetBytes);
    this.exchanges =
        new Exchanges(
            new ProviderPorts(upstreams, fleet, () -> NOW),
            new AdmissionPorts(submissions, ledger, limits),
            accountBalances,
            new MediaPorts(images, outputs, Optional.of(jobs.service(names.guard()))),
            new RecordSinks(records::add, Scenario::row),
            inflight,
            options);
  }

  private static byte[] row(RequestRecord record) {
    return ("{\"outcome\":\"" + record.outcome().wire() + "\"}").getBytes(UTF_8);
  }

  /** Usual options and budget. */
  public static Scenario of(Catalog catalog) {
    return new Scenario(catalog, ExchangeOptions.DEFAULT, BUDGET_BYTES);
  }

  /** A process that stores what is made. */
  public static Scenario storing(Catalog catalog, BlobStore blobs, long budgetBytes) {
    var outputs = new Outputs.Kept(blobs, Duration.ofDays(1), STORING);
    return new Scenario(catalog, ExchangeOptions.DEFAULT, budgetBytes, outputs);
  }

  /** Options of a test's own. */
  public static Scenario of(Catalog catalog, ExchangeOptions options) {
    return new Scenario(catalog, options, BUDGET_BYTES);
  }

  /** A process that may hold only so many bytes. */
  public static Scenario of(Catalog catalog, long budgetBytes) {
    return new Scenario(catalog, ExchangeOptions.DEFAULT, budgetBytes);
  }

  // What a test does

  /** Requests are this organization's from now on. */
  public void of(OrgId org) {
    organization = org;
  }

  /** A chat request arrives, whole. */
  public RecordedClient ask(String body) {
    return ask(body.getBytes(UTF_8));
  }

  /** The same, in the array that it was collected into. */
  public RecordedClient ask(byte[] body) {
    return ask(body, body.length);
  }

  /** A request arrives that no code expects: its body claims a byte more than there are. */
  public RecordedClient askImpossible() {
    byte[] bytes = TestCatalog.PLAIN_REQUEST.getBytes(UTF_8);
    return ask(bytes, bytes.length + 1);
  }

  /** A stream is asked for by a client that took its time to send the request. */
  public RecordedClient askStreamAfterUpload(Duration upload) {
    long before = ticker.nanoTime();
    ticker.advance(upload.toNanos(), TimeUnit.NANOSECONDS);
    byte[] bytes = TestCatalog.STREAM_REQUEST.getBytes(UTF_8);
    return ask(bytes, bytes.length, before);
  }

  /** The same of a plain request. */
  public RecordedClient askPlainAfterUpload(Duration upload) {
    long before = ticker.nanoTime();
    ticker.advance(upload.toNanos(), TimeUnit.NANOSECONDS);
    byte[] bytes = TestCatalog.PLAIN_REQUEST.getBytes(UTF_8);
    return ask(bytes, bytes.length, before);
  }

  private RecordedClient ask(byte[] bytes, int length) {
    return ask(bytes, length, ticker.nanoTime());
  }

  /** A request without a body arrives. */
  public RecordedClient get(Endpoint endpoint) {
    return start(endpoint, new byte[0], 0, ticker.nanoTime(), null);
  }

  private RecordedClient ask(byte[] bytes, int length, long admittedNanos) {
    return start(Endpoint.CHAT_COMPLETIONS, bytes, length, admittedNanos, null);
  }

  /** A request arrives that carries an idempotency key. */
  public RecordedClient submit(Endpoint endpoint, String body, String key) {
    byte[] bytes = body.getBytes(UTF_8);
    return start(endpoint, bytes, bytes.length, ticker.nanoTime(), key);
  }

  /** A request about a job arrives. */
  public RecordedClient job(Endpoint endpoint, String id) {
    return start(endpoint, id, new byte[0], 0, ticker.nanoTime(), null);
  }

  /** A request with a body arrives at a route. */
  public RecordedClient ask(Endpoint endpoint, String body) {
    byte[] bytes = body.getBytes(UTF_8);
    return start(endpoint, bytes, bytes.length, ticker.nanoTime(), null);
  }

  /** The same, in the array that it was collected into. */
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
                TestCatalog.key(keyLimits, keyScope, organization), "192.0.2.7"),
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

  /** Time passes, in small steps. */
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

  /** Time passes in one leap. */
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

  /** Everything that can happen now happens. */
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

  // What a test asks

  /** The n-th connection to a provider, from 0. */
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

  /** Requests that providers got so far, over all connections. */
  public int requests() {
    run();
    return connector.links().stream().mapToInt(ProviderLink::requests).sum();
  }

  /** The connection over which a provider was asked last. */
  public ProviderLink lastRequestLink() {
    return connector.links().stream()
        .filter(ProviderLink::isOpen)
        .reduce((earlier, later) -> later)
        .orElseThrow(() -> new AssertionError("no open connection"));
  }

  /** What the gateway's own buffers come from. */
  public RationedAllocator buffers() {
    return buffers;
  }

  public InMemoryLedger ledger() {
    return ledger;
  }

  /** Whether nothing is carried out whose client is gone. */
  public boolean isDrained() {
    return exchanges.detachedRequests().toCompletableFuture().isDone();
  }

  /** What DNS says of the hosts of clients' URLs. */
  public ScriptedNames names() {
    return names;
  }

  /** Whoever keeps the media jobs. */
  public InMemoryJobs jobs() {
    return jobs;
  }

  /** Who remembers submissions that carry a key. */
  public InMemoryIdempotencyStore submissions() {
    return submissions;
  }

  public ScriptedAccountBalances accountBalances() {
    return accountBalances;
  }

  /** From now on these limits hold. */
  public Scenario limits(LimitRules now) {
    rules = now;
    return this;
  }

  /** From now on the key has these of its own. */
  public Scenario keyLimits(KeyLimits own) {
    keyLimits = own;
    return this;
  }

  /** From now on the key may do no more than this. */
  public Scenario keyScope(KeyScope only) {
    keyScope = only;
    return this;
  }

  /** What a request of the key would be told by its head already. */
  public RefusalCache.@Nullable CachedRefusal knownRefusal() {
    return limits.cachedRefusal(TestCatalog.key(keyLimits), ticker.nanoTime());
  }

  /** Who counts them. */
  public DelayedCounters counters() {
    return delayedCounters;
  }

  public int slotsInUse() {
    return counters.slotsInUse();
  }

  /** The models that metrics were told of as passed over, with the code. */
  public List<String> skippedByLimit() {
    return List.copyOf(limitObserver.passedOver);
  }

  /** The refusals that metrics were told of. */
  public List<Fault> limited() {
    return List.copyOf(limitObserver.limited);
  }

  public InflightBytes inflight() {
    return inflight;
  }

  public Fleet fleet() {
    return fleet;
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

  /** The one record. */
  public RequestRecord record() {
    if (records.size() != 1) {
      throw new AssertionError(records.size() + " records: " + records);
    }
    return records.getFirst();
  }

  /** What the one record says of routing and providers. */
  public Served served() {
    return served(record());
  }

  /** The same of the request that ended last. */
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

  /** Requires that nothing is held although connections may still be open. */
  public void requireQuiet() {
    for (RecordedClient client : clients) {
      require(!client.hasUnflushed(), "something was not flushed");
    }
    require(records.size() == clients.size(), clients.size() + " requests, records: " + records);
    if (leased() > 0) { // a lingering lease has a second
      passMillis(1_100);
    }
    require(leased() == 0, "leases are held: " + upstreams.gauges());
    upstreams.gauges().forEach(g -> require(g.pending() == 0, "someone waits: " + g));
    require(slotsInUse() == 0, slotsInUse() + " slots are held");
    require(delayedCounters.open() == 0, delayedCounters.open() + " draws are held");
    require(ledger.open() == 0, ledger.open() + " reservations are held");
    require(isDrained(), "something goes on whose client is gone");
    require(submissions.open() == 0, submissions.open() + " claims are held");
    require(inflight.held() == 0, inflight.held() + " bytes of the budget are held");
    require(images.inFlight() == 0, images.inFlight() + " images are being fetched");
    require(names.pending() == 0, "a name is being looked up");
    require(connector.pending() == 0, "a connection is still being made");
    for (Provider provider : catalog.providers()) {
      int tries = fleet.provider(provider).inFlight();
      require(tries == 0, tries + " tries at " + provider.id() + " have not ended");
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
