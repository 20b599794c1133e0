package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.routing.PriceCap;
import dev.tollgate.core.routing.RoutingPreferences;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a request's {@code routing} member into {@link RoutingPreferences}: an object, or a
 * string with the name of a strategy. OpenRouter's {@code provider} object is an alias: it is
 * always checked, and used if {@code routing} is absent (docs/decisions/routing.md#preferences).
 * Unknown members are ignored.
 */
public final class RoutingFields {
  private static final int SLUGS_MAX = 64;
  private static final int MODELS_MAX = 8;
  private static final int SESSION_CHARS_MAX = 256;
  private static final long MILLIS_MAX = Duration.ofDays(1).toMillis();
  private static final double PICO_PER_USD = 1e12;
  private static final double PICO_PER_USD_A_MILLION = 1e6;
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,15}(\\.\\d{1,15})?");

  private final JsonMembers fields;
  private final Param param;
  private final Issues issues;

  /**
   * Result of reading a request's routing preferences.
   *
   * @param unmetFault refusal of valid preferences that cannot be met
   */
  public record Read(RoutingPreferences preferences, @Nullable Fault unmetFault) {
    private static final Read NOTHING = new Read(RoutingPreferences.NONE, null);
  }

  private RoutingFields(JsonMembers fields, Param param, Issues issues) {
    this.fields = fields;
    this.param = param;
    this.issues = issues;
  }

  /** Reads the preferences of a request; errors are added to the issues. */
  public static Read read(JsonMembers root, Issues issues) {
    Optional<Read> routing = member(root, "routing", issues);
    Optional<Read> alias = member(root, "provider", issues);
    return routing.or(() -> alias).orElse(Read.NOTHING);
  }

  private static Optional<Read> member(JsonMembers root, String name, Issues issues) {
    int i = root.indexOf(name);
    if (i < 0) {
      return Optional.empty();
    }
    return switch (root.kind(i)) {
      case NULL -> Optional.empty();
      case STRING -> Optional.of(shorthand(root, i, Param.of(name).dot("strategy"), issues));
      case OBJECT ->
          Optional.of(new RoutingFields(root.object(i), Param.of(name), issues).object());
      case NUMBER, TRUE, FALSE, ARRAY -> {
        issues.add(name, "must be an object or the name of a strategy");
        yield Optional.empty();
      }
    };
  }

  private static Read shorthand(JsonItems items, int i, Param param, Issues issues) {
    Optional<Strategy> strategy = strategy(items, i);
    return strategy.isPresent()
        ? new Read(of(strategy.get()), null)
        : new Read(RoutingPreferences.NONE, unknown(items, i, param, issues));
  }

  private static RoutingPreferences of(Strategy strategy) {
    RoutingPreferences none = RoutingPreferences.NONE;
    return new RoutingPreferences(
        strategy,
        none.order(),
        none.only(),
        none.ignore(),
        none.allowFallbacks(),
        none.requireParameters(),
        none.models(),
        none.priceCap(),
        none.latencyPreferred(),
        none.timeout(),
        none.resume(),
        none.hedgeAfter(),
        none.sessionId());
  }

  private Read object() {
    if (issues.addIfCut(fields, param)) {
      return Read.NOTHING;
    }
    int i = given("strategy");
    Optional<Strategy> strategy = i < 0 ? Optional.empty() : strategy(fields, i);
    Fault unmetFault =
        i < 0 || strategy.isPresent() ? null : unknown(fields, i, param.dot("strategy"), issues);
    var read =
        new RoutingPreferences(
            strategy.orElse(null),
            slugs("order"),
            slugs("only"),
            slugs("ignore"),
            flag("allow_fallbacks", true),
            flag("require_parameters", false),
            models(),
            priceCap(),
            millis("preferred_max_latency_ms", 1),
            millis("timeout_ms", 1),
            resume(),
            millis("hedge_after_ms", 0),
            sessionId());
    return new Read(read, unmetFault);
  }

  private static Optional<Strategy> strategy(JsonItems items, int i) {
    return items.kind(i) == JsonKind.STRING ? Strategy.parse(items.string(i)) : Optional.empty();
  }

  /** Returns the refusal of an announced strategy, or adds an issue for an unknown one. */
  private static @Nullable Fault unknown(JsonItems items, int i, Param param, Issues issues) {
    if (!items.isString(i, "smart")) {
      issues.add(param, "is not a known strategy");
      return null;
    }
    String message = "the routing strategy smart is not implemented";
    return new Fault(
        ErrorCode.NOT_IMPLEMENTED, message, param.toString(), null, 0, false, Map.of());
  }

  /** Returns the index of a member that is not null, or -1. */
  private int given(String name) {
    int i = fields.indexOf(name);
    return i < 0 || fields.kind(i) == JsonKind.NULL ? -1 : i;
  }

  private List<String> slugs(String name) {
    return strings(name, SLUGS_MAX);
  }

  private List<String> strings(String name, int countMax) {
    int i = given(name);
    if (i < 0) {
      return List.of();
    }
    ValueRule.strings().check(fields, i, param.dot(name), issues);
    if (fields.kind(i) != JsonKind.ARRAY) {
      return List.of();
    }
    JsonElements elements = fields.array(i);
    if (elements.size() > countMax) {
      issues.add(param.dot(name), "must not have more than " + countMax + " items");
      return List.of();
    }
    List<String> found = new ArrayList<>(elements.size());
    for (int k = 0; k < elements.size(); k++) {
      found.add(elements.kind(k) == JsonKind.STRING ? elements.string(k) : "");
    }
    return found;
  }

  private List<String> models() {
    List<String> names = strings("models", MODELS_MAX);
    for (int k = 0; k < names.size(); k++) {
      if (!ModelId.isName(names.get(k))) {
        issues.add(param.dot("models").at(k), RequestRoot.NO_MODEL_NAME);
      }
    }
    return names;
  }

  private boolean flag(String name, boolean absent) {
    int i = given(name);
    if (i < 0) {
      return absent;
    }
    ValueRule.bool().check(fields, i, param.dot(name), issues);
    return fields.kind(i) == JsonKind.TRUE;
  }

  private @Nullable Duration millis(String name, int min) {
    int i = given(name);
    if (i < 0) {
      return null;
    }
    ValueRule.integer(min, MILLIS_MAX).check(fields, i, param.dot(name), issues);
    return Duration.ofMillis(Math.clamp(fields.integer(i, min), min, MILLIS_MAX));
  }

  private @Nullable Resume resume() {
    int i = given("resume");
    if (i < 0) {
      return null;
    }
    for (Resume resume : Resume.values()) {
      if (fields.isString(i, resume.wire())) {
        return resume;
      }
    }
    issues.add(param.dot("resume"), "must be off, prefill, replay or auto");
    return null;
  }

  private @Nullable String sessionId() {
    int i = given("session_id");
    if (i < 0) {
      return null;
    }
    String id = fields.kind(i) == JsonKind.STRING ? fields.string(i) : "";
    if (id.isEmpty() || id.length() > SESSION_CHARS_MAX) {
      issues.add(
          param.dot("session_id"), "must be a string of 1 to " + SESSION_CHARS_MAX + " characters");
    }
    return id;
  }

  private PriceCap priceCap() {
    int i = given("max_price");
    if (i < 0) {
      return PriceCap.NONE;
    }
    Param at = param.dot("max_price");
    if (fields.kind(i) != JsonKind.OBJECT) {
      issues.add(at, "must be an object");
      return PriceCap.NONE;
    }
    JsonMembers caps = fields.object(i);
    if (issues.addIfCut(caps, at)) {
      return PriceCap.NONE;
    }
    return new PriceCap(
        pico(caps, "prompt", PICO_PER_USD_A_MILLION, at),
        pico(caps, "completion", PICO_PER_USD_A_MILLION, at),
        pico(caps, "image", PICO_PER_USD, at),
        pico(caps, "request", PICO_PER_USD, at));
  }

  /**
   * Returns a price cap from USD, as a number or a decimal string. A cap far above any price is
   * unbounded.
   */
  private long pico(JsonMembers caps, String name, double factor, Param at) {
    int i = caps.indexOf(name);
    if (i < 0 || caps.kind(i) == JsonKind.NULL) {
      return PriceCap.UNBOUNDED;
    }
    double usd = usd(caps, i);
    if (!(usd >= 0)) {
      issues.add(at.dot(name), "must be a price in USD, 0 or more");
      return PriceCap.UNBOUNDED;
    }
    return Math.round(usd * factor);
  }

  private static double usd(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case NUMBER -> items.number(i);
      case STRING -> {
        String text = items.string(i);
        yield DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : -1;
      }
      case TRUE, FALSE, NULL, OBJECT, ARRAY -> -1;
    };
  }
}
