package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.RefusalCache.Told;
import dev.tollgate.core.tenant.ApiKey;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits as requests meet them. Shared by all loops.
 *
 * @param rules those in force now; a request keeps the ones it was asked with
 * @param refusals hears of each 429, on the loop that gives it: it must not block
 * @param known who need not be counted to be refused
 */
public record Limits(
    Counters counters,
    Supplier<LimitRules> rules,
    Consumer<Fault> refusals,
    RefusalCache known,
    Allotments allotments) {
  public Limits(
      Counters counters, Supplier<LimitRules> rules, Consumer<Fault> refusals, RefusalCache known) {
    this(counters, rules, refusals, known, new Allotments());
  }

  /**
   * What a request takes.
   *
   * @param tokens that it will use, as far as one can say beforehand
   */
  public LimitRules.Asked asked(
      LimitRules rules, RequestId request, ApiKey key, ModelId of, long tokens) {
    return LimitRules.asked(request, allotments.of(rules, key, of), tokens);
  }

  /** What a request of the key is told by its head already, or null where it must be counted. */
  public RefusalCache.@Nullable Told refusedAnyway(ApiKey key, long nowNanos) {
    Told told = known.find(key, rules.get(), nowNanos);
    if (told != null) {
      refusals.accept(told.fault());
    }
    return told;
  }
}
