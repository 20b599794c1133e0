package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tollgate.core.api.account.ModelList;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.RouteStates.RouteState;
import dev.tollgate.server.explorer.ModelUsage;
import dev.tollgate.server.explorer.OrgKeys;
import dev.tollgate.server.explorer.OrgKeys.ScopeCount;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Handler of the list of models as an organization uses them. */
public final class ModelHandlers {
  private static final Duration USED_WITHIN = Duration.ofDays(1);

  private final Supplier<Catalog> catalog;
  private final RouteStates states;
  private final ModelUsage.Query usage;
  private final OrgKeys keys;
  private final InstantSource clock;

  private ModelHandlers(
      Supplier<Catalog> catalog, RouteStates states, DataSource pool, InstantSource clock) {
    this.catalog = catalog;
    this.states = states;
    this.usage = new ModelUsage.Query(pool);
    this.keys = new OrgKeys(pool);
    this.clock = clock;
  }

  /**
   * Query of a page of models.
   *
   * @param modality alternatives
   * @param provider alternatives
   * @param q text in the model's id or name
   */
  record ListQuery(
      List<String> modality, List<String> provider, @Nullable String q, PageRequest page) {
    boolean matches(Model model) {
      String id = model.id().toString();
      String position = page.position();
      return (position == null || id.compareTo(position) > 0)
          && (modality.isEmpty() || modality.contains(model.modality().wire()))
          && (provider.isEmpty()
              || model.routes().stream()
                  .anyMatch(route -> provider.contains(route.provider().id().value())))
          && (q == null || lower(id).contains(lower(q)) || lower(model.name()).contains(lower(q)));
    }

    private static String lower(String text) {
      return text.toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Model of the catalog as the API lists it, and how the organization uses it.
   *
   * @param aliases other names of it
   * @param pricing in USD per unit
   * @param pricingMicro in micro-USD per million tokens or per other unit
   * @param errorRate24h share of failures in the last 24 hours; null without requests
   * @param keysAllowed keys of the organization that may use it
   */
  record ModelView(
      String id,
      List<String> aliases,
      String object,
      long created,
      String ownedBy,
      String name,
      String description,
      @OneOf(Modality.class) String modality,
      @Nullable Integer contextLength,
      @Nullable Integer maxOutputTokens,
      Architecture architecture,
      List<String> supportedParameters,
      Map<String, Boolean> capabilities,
      Map<String, Object> pricing,
      Map<String, Object> pricingMicro,
      List<String> providers,
      List<RouteView> routes,
      @JsonProperty("ttft_p50_ms_24h") @Nullable Double ttftP50Ms24h,
      @JsonProperty("error_rate_24h") @Nullable Double errorRate24h,
      @JsonProperty("requests_24h") long requests24h,
      int keysAllowed) {

    /** What a model reads and writes. */
    record Architecture(List<String> inputModalities, List<String> outputModalities) {}
  }

  /** Provider that serves a model, and whether it does now. */
  record RouteView(String provider, String model, int priority, int weight, RouteState state) {}

  public static void add(
      Handlers.Builder to,
      Supplier<Catalog> catalog,
      RouteStates states,
      DataSource pool,
      InstantSource clock) {
    to.replies(Route.MODELS, new ModelHandlers(catalog, states, pool, clock)::list);
  }

  private ListPage<Map<String, Object>> list(ControlRequest call) throws SQLException {
    var query = call.query(ListQuery.class);
    if (query.modality().stream().anyMatch(name -> Modality.parse(name).isEmpty())) {
      throw Refused.invalid("modality", "is not a modality");
    }
    PageRequest page = query.page();
    Catalog now = catalog.get();
    List<Model> found =
        now.models().stream()
            .filter(query::matches)
            .sorted(Comparator.comparing(model -> model.id().toString()))
            .limit(page.limit() + 1L)
            .toList();
    OrgId org = call.org().org();
    Map<String, ModelUsage> used = usage.of(org, clock.instant().minus(USED_WITHIN));
    List<ScopeCount> scopes = keys.scopes(org);
    Slice<Model> part = page.part().slice(found, model -> model.id().toString());
    return page.page(part.map(model -> item(now, model, org, used, scopes)));
  }

  private Map<String, Object> item(
      Catalog now, Model model, OrgId org, Map<String, ModelUsage> used, List<ScopeCount> scopes) {
    ModelUsage its = used.getOrDefault(model.id().toString(), ModelUsage.NONE);
    Map<String, Object> item = ModelList.item(now, model);
    item.put("routes", model.routes().stream().map(route -> view(route, org)).toList());
    item.put("ttft_p50_ms_24h", its.ttftP50Ms());
    item.put("error_rate_24h", its.errorRate());
    item.put("requests_24h", its.requests());
    item.put(
        "keys_allowed",
        scopes.stream()
            .filter(each -> model.isUsableWith(each.scope()))
            .mapToInt(ScopeCount::keys)
            .sum());
    return item;
  }

  private RouteView view(dev.tollgate.core.catalog.Route route, OrgId org) {
    return new RouteView(
        route.provider().id().value(),
        route.upstreamModel(),
        route.priority(),
        route.weight(),
        states.of(route, org));
  }
}
