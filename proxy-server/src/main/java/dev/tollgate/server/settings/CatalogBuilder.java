package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds the core's catalog from valid settings: a pure function. */
public final class CatalogBuilder {
  private static final int MOCK_EVENT_BYTES_MAX = 32 << 20;
  private static final int NANO_DIGITS = 9;

  /** Its models are faults that say nothing about each other. */
  private static final Provider.CircuitOptions MOCK_CIRCUIT =
      new Provider.CircuitOptions(
          1_000, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5));

  private final ToIntFunction<ProviderId> mockPort;
  private final Function<Secret, AccessToken> tokens;

  /**
   * A builder of catalogs.
   *
   * @param mockPort the loopback port on which a provider of type mock listens
   * @param tokens the access token of a service account's file
   */
  public CatalogBuilder(ToIntFunction<ProviderId> mockPort, Function<Secret, AccessToken> tokens) {
    this.mockPort = mockPort;
    this.tokens = tokens;
  }

  /** A builder of catalogs that are looked at, and not served from. */
  public CatalogBuilder(ToIntFunction<ProviderId> mockPort) {
    this(mockPort, _ -> new AccessToken());
  }

  public Catalog build(Settings settings) {
    Map<ProviderId, Provider> providers = new LinkedHashMap<>();
    settings.providers().forEach((id, provider) -> providers.put(id, provider(id, provider)));
    List<Model> models =
        settings.models().entrySet().stream()
            .map(entry -> model(entry.getKey(), entry.getValue(), providers))
            .toList();
    return new Catalog(providers.values(), models, rules(settings.routing()));
  }

  private Provider provider(ProviderId id, ProviderSettings provider) {
    return switch (provider) {
      case ProviderSettings.OpenAi openAi ->
          remote(id, "openai", openAi, QuirkPresets.of(openAi.preset(), openAi.quirks()));
      case ProviderSettings.Azure azure -> azure(id, azure);
      case ProviderSettings.Anthropic anthropic ->
          remote(id, "anthropic", anthropic, quirks(anthropic.quirks()));
      case ProviderSettings.Gemini gemini -> remote(id, "gemini", gemini, quirks(gemini.quirks()));
      case ProviderSettings.Vertex vertex -> vertex(id, vertex);
      case ProviderSettings.Bedrock bedrock -> bedrock(id, bedrock);
      case ProviderSettings.Cohere cohere -> remote(id, "cohere", cohere, Provider.Quirks.NONE);
      case ProviderSettings.Ollama ollama ->
          remote(id, "ollama", ollama, new Provider.Quirks(true, Prefill.MESSAGE));
      case ProviderSettings.Mock _ -> mock(id);
    };
  }

  private static Provider.Quirks quirks(ProviderSettings.ModelQuirks quirks) {
    var rights = new Provider.Rights(quirks.ownFiles(), quirks.pricedOptions());
    return new Provider.Quirks(
        true, quirks.prefill(), quirks.thinking(), quirks.sampling(), rights);
  }

  private Provider vertex(ProviderId id, ProviderSettings.Vertex vertex) {
    String dialect =
        switch (vertex.publisher()) {
          case GOOGLE -> "vertex";
          case ANTHROPIC -> "vertex-anthropic";
        };
    Secret account = vertex.serviceAccount();
    List<Credential> credentials =
        account == null ? List.of() : List.of(Credential.of(account, tokens.apply(account)));
    return remote(id, dialect, vertex, vertex.models(), credentials, quirks(vertex.quirks()));
  }

  private static Provider bedrock(ProviderId id, ProviderSettings.Bedrock bedrock) {
    List<Credential> credentials =
        bedrock
            .awsKeys()
            .map(keys -> List.of(Credential.of(keys.packed())))
            .orElseGet(() -> credentials(bedrock));
    String path = bedrock.baseUrl().path();
    return remote(id, "bedrock", bedrock, path, credentials, quirks(bedrock.quirks()));
  }

  private static Provider azure(ProviderId id, ProviderSettings.Azure azure) {
    Provider.Quirks quirks = QuirkPresets.of(null, azure.quirks());
    String path = azure.baseUrl().path() + azure.api().path();
    return remote(
        id,
        "azure",
        azure,
        path,
        credentials(azure),
        quirks.withQuery(azure.api().query(azure.apiVersion())));
  }

  private static Provider remote(
      ProviderId id, String dialect, ProviderSettings.Remote provider, Provider.Quirks quirks) {
    String path = provider.baseUrl().path();
    return remote(id, dialect, provider, path, credentials(provider), quirks);
  }

  private static Provider remote(
      ProviderId id,
      String dialect,
      ProviderSettings.Remote provider,
      String path,
      List<Credential> credentials,
      Provider.Quirks quirks) {
    var url = provider.baseUrl();
    var timeouts = provider.timeouts();
    var pool = provider.pool();
    return new Provider(
        id,
        dialect,
        new EndpointIdentity(url.tls(), url.host(), url.port()),
        path,
        credentials,
        provider.headers().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().reveal())),
        new Provider.ProviderTimeouts(
            timeouts.connect(),
            timeouts.responseHeader(),
            timeouts.firstToken(),
            timeouts.idle(),
            timeouts.total(),
            timeouts.image()),
        new Provider.PoolLimits(pool.connectionsMax(), pool.pending(), pool.idle()),
        circuit(provider.circuit()),
        quirks,
        onDisconnect(provider.onDisconnect()),
        provider.eventBytesMax(),
        provider.maxImageReplyBytes());
  }

  private static List<Credential> credentials(ProviderSettings.Remote provider) {
    return provider.apiKey() != null
        ? List.of(Credential.of(provider.apiKey()))
        : provider.apiKeys().stream().map(key -> new Credential(key.key(), key.weight())).toList();
  }

  private static Provider.CircuitOptions circuit(ProviderSettings.Circuit configured) {
    return new Provider.CircuitOptions(
        configured.failures(),
        configured.window(),
        configured.openFor(),
        configured.openForMax(),
        configured.noResponseTimeout());
  }

  private static RoutingRules rules(RoutingSettings routing) {
    var budget = routing.retryBudget();
    return new RoutingRules(
        routing.defaultStrategy(),
        routing.maxAttempts(),
        budget.share(),
        budget.minPerSecond(),
        routing.resumeBytesMax(),
        routing.hedgeAfter());
  }

  private static Provider.OnDisconnect onDisconnect(ProviderSettings.OnDisconnect configured) {
    var drain = configured.drain();
    return drain == null
        ? new Provider.OnDisconnect.Cancel()
        : new Provider.OnDisconnect.Drain(drain.time(), drain.share());
  }

  private Provider mock(ProviderId id) {
    return new Provider(
        id,
        "openai",
        new EndpointIdentity(false, "127.0.0.1", mockPort.applyAsInt(id)),
        "/v1",
        List.of(),
        Map.of(),
        Provider.ProviderTimeouts.DEFAULT,
        Provider.PoolLimits.DEFAULT,
        MOCK_CIRCUIT,
        Provider.Quirks.NONE,
        new Provider.OnDisconnect.Cancel(),
        MOCK_EVENT_BYTES_MAX);
  }

  private static Model model(ModelId id, ModelSettings model, Map<ProviderId, Provider> providers) {
    int outputTokensMax = model.maxOutputTokens();
    int reserved = model.reserveOutputTokens();
    return new Model(
        id,
        model.modality(),
        Objects.requireNonNullElse(model.name(), id.name()),
        model.description(),
        model.created().atStartOfDay(ZoneOffset.UTC).toInstant(),
        model.contextLength(),
        outputTokensMax,
        outputTokensMax > 0 ? Math.min(outputTokensMax, reserved) : reserved,
        model.reserveImageTokens(),
        model.capabilities().stream()
            .map(capability -> capability.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet()),
        PriceLists.of(model.price()),
        model.resume(),
        model.stickyPrefix(),
        model.routes().stream()
            .sorted(Comparator.comparingInt(ModelSettings.RouteSettings::priority))
            .map(route -> route(route, providers))
            .toList(),
        durationAssumed(model.defaultDurationSeconds()));
  }

  private static Duration durationAssumed(@Nullable BigDecimal seconds) {
    return seconds == null
        ? Duration.ZERO
        : Duration.ofNanos(seconds.movePointRight(NANO_DIGITS).longValue());
  }

  private static Route route(
      ModelSettings.RouteSettings route, Map<ProviderId, Provider> providers) {
    Provider provider = Objects.requireNonNull(providers.get(route.provider()));
    return new Route(provider, route.model(), route.priority(), route.weight());
  }
}
