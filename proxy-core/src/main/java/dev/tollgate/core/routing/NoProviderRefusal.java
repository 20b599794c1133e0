package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Refusal of a request that no provider may serve now, with the reason of each excluded provider.
 */
public record NoProviderRefusal(Strategy strategy, List<Exclusion> excluded) {
  private static final long WAIT_SECONDS_MAX = 60;

  public NoProviderRefusal {
    excluded = List.copyOf(excluded);
  }

  /** Returns the error for the client, with a wait if waiting helps. */
  public Fault fault() {
    List<Map<String, Object>> entries = excluded.stream().map(this::entry).toList();
    Fault fault =
        isRateLimited()
            ? Fault.of(ErrorCode.PROVIDER_RATE_LIMITED, "every provider limits our rate now")
            : Fault.of(ErrorCode.NO_PROVIDER_AVAILABLE, "no provider may serve the request now");
    return fault.withRetryAfter(waitSeconds()).withDetails(Map.of("excluded", entries));
  }

  /**
   * True if all providers that the request allows limited its rate, so that nothing but their waits
   * keeps it from being served.
   */
  public boolean isRateLimited() {
    boolean cools = false;
    for (Exclusion exclusion : excluded) {
      switch (exclusion.reason()) {
        case COOLING -> cools = true;
        case NOT_IN_ONLY,
            IGNORED,
            NOT_IN_ORDER,
            FALLBACK_NOT_ALLOWED,
            PRICE_ABOVE_MAX,
            PARAMETERS_UNSUPPORTED -> {}
        case CIRCUIT_OPEN, CREDENTIALS_REFUSED, TOKEN_MISSING, MODEL_LIMITED -> {
          return false;
        }
      }
    }
    return cools;
  }

  private Map<String, Object> entry(Exclusion exclusion) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("provider", exclusion.provider().value());
    if (!exclusion.model().equals(excluded.getFirst().model())) {
      entry.put("model", exclusion.model().toString());
    }
    entry.put("reason", exclusion.reason().wire());
    return entry;
  }

  /** Returns the shortest wait of the exclusions for which waiting helps; 0 if there are none. */
  private int waitSeconds() {
    long nanos =
        excluded.stream().mapToLong(Exclusion::waitNanos).filter(wait -> wait > 0).min().orElse(0);
    long seconds = -Math.floorDiv(-nanos, TimeUnit.SECONDS.toNanos(1));
    return (int) Math.min(WAIT_SECONDS_MAX, seconds);
  }

  /** Returns the value of {@code X-LLM-Routing-Reason} if no provider was selected. */
  public String reason() {
    return "strategy="
        + strategy.wire()
        + " selected=none priority=0 cost_micro=0 healthy=false fallbacks=none";
  }
}
