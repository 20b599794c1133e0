package dev.tollgate.core.testkit;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.KnownServer;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.OpenAiQuirks;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Catalog with one model, {@code acme/one}, served by some providers in order of priority. A token
 * of input costs 1 micro-USD, a token of output 2, and a spoken character 1.
 */
public final class TestCatalog {
  public static final String STREAM_REQUEST =
      "{\"model\":\"acme/one\",\"stream\":true,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  public static final String PLAIN_REQUEST =
      "{\"model\":\"acme/one\","
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  public static final int EVENT_BYTES_MAX = 256 * 1024;

  /** Size limit of a provider's reply with images. */
  public static final int IMAGE_REPLY_BYTES_MAX = 384 * 1024;

  /** Organization of requests unless a test names another. */
  public static final OrgId ORG = new OrgId(new UUID(1, 2));

  private static final long MICRO = 1_000_000;

  private TestCatalog() {}

  /** Returns a catalog with providers of these names, usual timeouts and pools. */
  public static Catalog of(String... providers) {
    return of(Stream.of(providers).map(TestCatalog::provider).toArray(Provider[]::new));
  }

  /** Returns a catalog with these providers; the first is preferred. */
  public static Catalog of(Provider... providers) {
    return of(Modality.CHAT, providers);
  }

  /** Providers of these names. */
  public static Provider[] all(String... names) {
    return Stream.of(names).map(TestCatalog::provider).toArray(Provider[]::new);
  }

  /** Returns a catalog with a model of another modality. */
  public static Catalog of(Modality modality, Provider... providers) {
    return of(modality, prices(modality), providers);
  }

  /** Returns a catalog with a model of another modality and price. */
  public static Catalog of(Modality modality, PriceList prices, Provider... providers) {
    List<Route> routes =
        IntStream.range(0, providers.length)
            .mapToObj(i -> new Route(providers[i], "one-at-" + providers[i].id(), i + 1, 1))
            .toList();
    Model model =
        new Model(
            ModelId.parse("acme/one").orElseThrow(),
            modality,
            "One",
            "A model for tests.",
            Instant.EPOCH,
            100_000,
            0,
            4_096,
            5_000,
            Set.of("streaming"),
            prices,
            Resume.OFF,
            false,
            routes,
            Duration.ZERO);
    return new Catalog(List.of(providers), List.of(model));
  }

  /** Returns the model with one more capability. */
  public static Model withCapability(Model m, String capability) {
    return new Model(
        m.id(),
        m.modality(),
        m.name(),
        m.description(),
        m.created(),
        m.contextLength(),
        m.outputTokensMax(),
        m.outputTokensReserved(),
        m.imageTokensReserved(),
        Set.of("streaming", capability),
        m.prices(),
        m.resume(),
        m.stickyPrefix(),
        m.routes(),
        m.durationAssumed());
  }

  private static PriceList prices(Modality modality) {
    return modality == Modality.SPEECH
        ? new PriceList(TokenPrices.ZERO, List.of(), 0, MICRO, 0, List.of(), 0, 0)
        : PriceList.ofTokens(TokenPrices.of(MICRO, 2 * MICRO));
  }

  /** The routes of the first model in their order. */
  public static RoutePlan plan(Catalog catalog) {
    Model model = catalog.models().iterator().next();
    List<Candidate> candidates =
        model.routes().stream().map(route -> new Candidate(model, route)).toList();
    return new RoutePlan(
        ORG,
        Strategy.PRIORITY,
        candidates,
        candidates,
        RoutingRules.DEFAULT,
        List.of(),
        RoutePlan.CredentialPolicy.HEALTHY_ONLY);
  }

  /** A provider of the OpenAI dialect at {@code <name>.example}. */
  public static Provider provider(String name) {
    return new Provider(
        new ProviderId(name),
        "openai",
        new EndpointIdentity(false, name + ".example", 80),
        "/v1",
        List.of(Credential.of(new Secret("sk-of-" + name))),
        Map.of(),
        ProviderTimeouts.DEFAULT,
        PoolLimits.DEFAULT,
        CircuitOptions.DEFAULT,
        Quirks.NONE,
        new OnDisconnect.Cancel(),
        EVENT_BYTES_MAX,
        IMAGE_REPLY_BYTES_MAX);
  }

  public static Provider with(Provider p, ProviderTimeouts clocks) {
    return copy(p, p.credentials(), clocks, p.pool(), p.circuit(), p.quirks(), p.onDisconnect());
  }

  /** Returns the provider with another size limit of events. */
  public static Provider with(Provider p, int eventBytesMax) {
    return sized(p, eventBytesMax, Math.max(eventBytesMax, p.imageReplyBytesMax()));
  }

  /** Returns the provider with another size limit of replies with images. */
  public static Provider withImageReplyLimit(Provider p, int imageReplyBytesMax) {
    return sized(p, p.eventBytesMax(), imageReplyBytesMax);
  }

  private static Provider sized(Provider p, int eventBytesMax, int imageReplyBytesMax) {
    return new Provider(
        p.id(),
        p.dialect(),
        p.endpoint(),
        p.basePath(),
        p.credentials(),
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        eventBytesMax,
        imageReplyBytesMax);
  }

  public static Provider with(Provider p, PoolLimits pool) {
    return copy(p, p.credentials(), p.timeouts(), pool, p.circuit(), p.quirks(), p.onDisconnect());
  }

  public static Provider with(Provider p, OnDisconnect onDisconnect) {
    return copy(p, p.credentials(), p.timeouts(), p.pool(), p.circuit(), p.quirks(), onDisconnect);
  }

  private static Provider copy(
      Provider p,
      List<Credential> credentials,
      ProviderTimeouts clocks,
      PoolLimits pool,
      CircuitOptions circuit,
      Quirks quirks,
      OnDisconnect onDisconnect) {
    return new Provider(
        p.id(),
        p.dialect(),
        p.endpoint(),
        p.basePath(),
        credentials,
        p.headers(),
        clocks,
        pool,
        circuit,
        quirks,
        onDisconnect,
        p.eventBytesMax(),
        p.imageReplyBytesMax());
  }

  /** Provider with these keys, used equally often. */
  public static Provider keyed(String name, String... keys) {
    Provider p = provider(name);
    return copy(
        p,
        Stream.of(keys).map(key -> Credential.of(new Secret(key))).toList(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect());
  }

  /** A provider whose circuit the first failure opens: for 2 s, then 4 s, at most 5 s. */
  public static Provider withSensitiveBreaker(String name) {
    CircuitOptions usual = CircuitOptions.DEFAULT;
    return with(
        provider(name), new CircuitOptions(1, usual.window(), usual.openFor(), usual.openForMax()));
  }

  /** A provider whose circuit no failure opens. */
  public static Provider withUnlimitedBreaker(String name) {
    CircuitOptions usual = CircuitOptions.DEFAULT;
    return with(
        provider(name),
        new CircuitOptions(Integer.MAX_VALUE, usual.window(), usual.openFor(), usual.openForMax()));
  }

  public static Provider with(Provider p, CircuitOptions circuit) {
    return copy(p, p.credentials(), p.timeouts(), p.pool(), circuit, p.quirks(), p.onDisconnect());
  }

  /** Provider that continues replies which another one began. */
  public static Provider prefilled(String name, Prefill prefill) {
    Provider p = provider(name);
    return copy(
        p,
        p.credentials(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        new Quirks(p.quirks().streamOptions(), prefill),
        p.onDisconnect());
  }

  /** Returns the provider with a treatment of media URLs. */
  public static Provider with(Provider p, RemoteMedia rule) {
    Quirks quirks = p.quirks().withRemoteMedia(rule);
    return copy(p, p.credentials(), p.timeouts(), p.pool(), p.circuit(), quirks, p.onDisconnect());
  }

  /** Provider that speaks OpenAI like a known server. */
  public static Provider like(KnownServer server, String name) {
    Provider p = provider(name);
    return copy(
        p,
        p.credentials(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        new Quirks(server.streamOptions(), server.prefill(), server.quirks()),
        p.onDisconnect());
  }

  /** Returns the provider with other upstream names of some models. */
  public static Provider withModelNames(Provider p, Map<String, String> models) {
    Quirks was = p.quirks();
    OpenAiQuirks deviations = was.openAiQuirks().withModels(models);
    Quirks quirks =
        new Quirks(was.streamOptions(), was.prefill(), deviations).withQuery(was.query());
    return copy(p, p.credentials(), p.timeouts(), p.pool(), p.circuit(), quirks, p.onDisconnect());
  }

  /** Provider of another dialect at a path, with a query at the end of each target. */
  public static Provider addressed(String dialect, String name, String path, String query) {
    Provider p = ofDialect(dialect, name);
    return new Provider(
        p.id(),
        dialect,
        p.endpoint(),
        path,
        p.credentials(),
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks().withQuery(query),
        p.onDisconnect(),
        p.eventBytesMax(),
        p.imageReplyBytesMax());
  }

  /** Provider that gets a token in place of a key. */
  public static Provider withAccessToken(String name, AccessToken token) {
    Provider p = provider(name);
    return copy(
        p,
        List.of(Credential.of(new Secret("key-of-" + name), token)),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect());
  }

  /** A provider of another dialect. */
  public static Provider ofDialect(String dialect, String name) {
    Provider p = provider(name);
    return new Provider(
        p.id(),
        dialect,
        p.endpoint(),
        "",
        p.credentials(),
        p.headers(),
        p.timeouts(),
        p.pool(),
        p.circuit(),
        p.quirks(),
        p.onDisconnect(),
        p.eventBytesMax(),
        p.imageReplyBytesMax());
  }

  /** Changes the usual timeouts. */
  public static Provider withClocks(
      String name, Function<ProviderTimeouts, ProviderTimeouts> change) {
    return with(provider(name), change.apply(ProviderTimeouts.DEFAULT));
  }

  /** Key without restrictions. */
  public static ApiKey key() {
    return key(KeyLimits.DEFAULT);
  }

  /** Key with limits of its own. */
  public static ApiKey key(KeyLimits limits) {
    return key(limits, KeyScope.ALL);
  }

  /** Key with limits and a scope. */
  public static ApiKey key(KeyLimits limits, KeyScope scope) {
    return key(limits, scope, ORG);
  }

  /** Key of another organization. */
  public static ApiKey key(KeyLimits limits, KeyScope scope, OrgId org) {
    return new ApiKey(
        new KeyId("abcdefgh"),
        "test",
        "wxyz",
        new Org(org, "org", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        scope,
        limits);
  }
}
