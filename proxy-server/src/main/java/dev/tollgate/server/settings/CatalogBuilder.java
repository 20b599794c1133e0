package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.ModelNames;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.PriceList;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Converts valid settings into the immutable catalog of models, providers and routes that requests
 * use. It has no side effects.
 */
public final class CatalogBuilder {
  private static final int MOCK_EVENT_BYTES_MAX = 32 << 20;
  private static final int NANO_DIGITS = 9;

  /** Clients ask the mock for faults by name; a reset that one wants must not stop the others. */
  private static final Provider.CircuitOptions MOCK_CIRCUIT =
      new Provider.CircuitOptions(
          1_000, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5));

  private final ToIntFunction<ProviderId> mockPort;
  private final Function<Secret, AccessToken> tokens;

  /**
   * Creates a builder.
   *
   * @param mockPort the loopback port on which a provider of type mock listens
   * @param tokens returns the access token of a service account, given its JSON key
   */
  public CatalogBuilder(ToIntFunction<ProviderId> mockPort, Function<Secret, AccessToken> tokens) {
    this.mockPort = mockPort;
    this.tokens = tokens;
  }

  /** Creates a builder of catalogs that serve no requests: access tokens stay empty. */
  public CatalogBuilder(ToIntFunction<ProviderId> mockPort) {
    this(mockPort, _ -> new AccessToken());
  }

  /** Builds a catalog whose providers have no TLS settings of their own. */
  public Catalog build(Settings settings) {
    return build(settings, Map.of());
  }

  /**
   * Returns the catalog of settings.
   *
   * @param tls TLS settings by provider; the others have those of all
   */
  public Catalog build(Settings settings, Map<ProviderId, EndpointTls> tls) {
    Map<ProviderId, Provider> providers = new LinkedHashMap<>();
    settings
        .providers()
        .forEach(
            (id, provider) -> {
              if (isConfigured(provider)) {
                providers.put(id, provider(id, provider, settings.egress(), tls.get(id)));
              }
            });
    List<Model> models =
        settings.models().entrySet().stream()
            .flatMap(entry -> model(settings, entry.getKey(), entry.getValue(), providers))
            .toList();
    return new Catalog(
        providers.values(), models, rules(settings.routing()), names(settings, models));
  }

  private static boolean isConfigured(ProviderSettings provider) {
    return switch (provider) {
      case RemoteProvider remote -> remote.isConfigured();
      case ProviderSettings.Mock _ -> true;
    };
  }

  private static ModelNames names(Settings settings, List<Model> models) {
    Map<ModelId, List<String>> aliases =
        settings.models().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().aliases()));
    List<ModelNames.AliasRule> rules =
        settings.modelAliases().stream()
            .map(alias -> new ModelNames.AliasRule(alias.match(), alias.model()))
            .toList();
    return new ModelNames(models, aliases, rules);
  }

  private Provider provider(
      ProviderId id, ProviderSettings provider, EgressSettings egress, @Nullable EndpointTls tls) {
    return switch (provider) {
      case RemoteProvider remote -> remote(id, remote, egress, tls);
      case ProviderSettings.Mock _ -> mock(id);
    };
  }

  private Provider remote(
      ProviderId id, RemoteProvider provider, EgressSettings egress, @Nullable EndpointTls tls) {
    var connection = provider.connection();
    return new Provider(
        id,
        provider.dialect(),
        endpoint(provider, egress, tls),
        provider.basePath(),
        provider.credentials(tokens),
        provider.headers().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().reveal())),
        connection.timeouts().toCatalog(),
        connection.pool().toCatalog(),
        connection.circuit().toCatalog(),
        provider.catalogQuirks(),
        connection.onDisconnect().toCatalog(),
        connection.eventBytesMax(),
        provider.maxImageReplyBytes());
  }

  private static EndpointIdentity endpoint(
      RemoteProvider provider, EgressSettings egress, @Nullable EndpointTls tls) {
    var url = provider.baseUrl();
    HttpProxy proxy = egress.proxyFor(url.host(), provider.connection().proxy());
    return new EndpointIdentity(url.tls(), url.host(), url.port(), url.tls() ? tls : null, proxy);
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

  /** Returns the model with the routes to configured providers; empty if there are none. */
  private static Stream<Model> model(
      Settings settings, ModelId id, ModelSettings model, Map<ProviderId, Provider> providers) {
    List<Route> routes =
        model.routes().stream()
            .filter(route -> providers.containsKey(route.provider()))
            .filter(route -> serves(settings.providers().get(route.provider()), model, route))
            .sorted(Comparator.comparingInt(ModelSettings.RouteSettings::priority))
            .map(route -> route(route, providers))
            .toList();
    return routes.isEmpty() ? Stream.of() : Stream.of(model(id, model, routes));
  }

  /** False for routes of a wildcard to a provider that has no such models. */
  private static boolean serves(
      @Nullable ProviderSettings provider, ModelSettings model, ModelSettings.RouteSettings route) {
    return !(provider instanceof RemoteProvider remote)
        || (remote.modalities().contains(model.modality())
            && remote.modelProblem(model.modality(), route.model()).isEmpty());
  }

  private static Model model(ModelId id, ModelSettings model, List<Route> routes) {
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
        routes,
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
    int context = Objects.requireNonNullElse(route.contextLength(), 0);
    Optional<PriceList> cost = Optional.ofNullable(route.cost()).map(PriceLists::of);
    return new Route(provider, route.model(), route.priority(), route.weight(), context, cost);
  }
}
