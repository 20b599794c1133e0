package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.RefusalCache.CachedRefusal;
import dev.tollgate.core.tenant.ApiKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of requests to rate limiting: the present rules, the counters and the caches. Shared
 * by all event loops.
 *
 * @param rules supplies the present rules; a request keeps those with which it started
 * @param observer called for each refusal, on the request's event loop
 * @param refusals cache of keys that are refused without counting
 */
public record Limits(
    Counters counters,
    Supplier<LimitRules> rules,
    LimitObserver observer,
    RefusalCache refusals,
    LimitSets limitSets) {
  public Limits(
      Counters counters, Supplier<LimitRules> rules, LimitObserver observer, RefusalCache known) {
    this(counters, rules, observer, known, new LimitSets());
  }

  /**
   * Returns the acquisition of a request.
   *
   * @param of the requested model; null if it cannot serve: fallback models are counted when they
   *     are tried
   * @param tokens estimate of the tokens that the request will use
   */
  public LimitRules.AcquirePlan plan(
      LimitRules rules, RequestId request, ApiKey key, @Nullable ModelId of, long tokens) {
    return LimitRules.plan(request, limitSets.of(rules, key, of), tokens);
  }

  /**
   * Returns the cached refusal of a key's request, known from its headers alone; null if the
   * request must be counted.
   */
  public RefusalCache.@Nullable CachedRefusal cachedRefusal(ApiKey key, long nowNanos) {
    CachedRefusal refusal = refusals.find(key, rules.get(), nowNanos);
    if (refusal != null) {
      observer.refused(refusal.fault());
    }
    return refusal;
  }
}
