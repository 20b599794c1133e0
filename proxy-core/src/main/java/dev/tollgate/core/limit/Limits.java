package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.RefusalCache.CachedRefusal;
import dev.tollgate.core.tenant.ApiKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits as requests meet them. Shared by all loops.
 *
 * @param rules those in force now; a request keeps the ones it was asked with
 * @param observer hears of each refusal, on the loop that gives it
 * @param refusals who need not be counted to be refused
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
   * What a request takes.
   *
   * @param of the model that it asks for; null where that one cannot serve: whoever is asked
   *     instead is counted when it is asked
   * @param tokens that it will use, as far as one can say beforehand
   */
  public LimitRules.AcquirePlan plan(
      LimitRules rules, RequestId request, ApiKey key, @Nullable ModelId of, long tokens) {
    return LimitRules.plan(request, limitSets.of(rules, key, of), tokens);
  }

  /** What a request of the key is told by its head already, or null where it must be counted. */
  public RefusalCache.@Nullable CachedRefusal cachedRefusal(ApiKey key, long nowNanos) {
    CachedRefusal refusal = refusals.find(key, rules.get(), nowNanos);
    if (refusal != null) {
      observer.refused(refusal.fault());
    }
    return refusal;
  }
}
