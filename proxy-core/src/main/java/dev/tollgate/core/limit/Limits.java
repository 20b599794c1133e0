package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.RefusalCache.Told;
import dev.tollgate.core.tenant.ApiKey;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits as requests meet them. Shared by all loops.
 *
 * @param rules those in force now; a request keeps the ones it was asked with
 * @param observer hears of each refusal, on the loop that gives it
 * @param known who need not be counted to be refused
 */
public record Limits(
    Counters counters,
    Supplier<LimitRules> rules,
    LimitObserver observer,
    RefusalCache known,
    Allotments allotments) {
  public Limits(
      Counters counters, Supplier<LimitRules> rules, LimitObserver observer, RefusalCache known) {
    this(counters, rules, observer, known, new Allotments());
  }

  /**
   * What a request takes.
   *
   * @param of the model that it asks for; null where that one cannot serve: whoever is asked
   *     instead is counted when it is asked
   * @param tokens that it will use, as far as one can say beforehand
   */
  public LimitRules.Asked asked(
      LimitRules rules, RequestId request, ApiKey key, @Nullable ModelId of, long tokens) {
    return LimitRules.asked(request, allotments.of(rules, key, of), tokens);
  }

  /** What a request of the key is told by its head already, or null where it must be counted. */
  public RefusalCache.@Nullable Told refusedAnyway(ApiKey key, long nowNanos) {
    Told told = known.find(key, rules.get(), nowNanos);
    if (told != null) {
      observer.refused(told.fault());
    }
    return told;
  }
}
