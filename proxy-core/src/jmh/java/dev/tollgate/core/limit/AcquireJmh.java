package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.LimitRules.AcquirePlan;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Benchmark of one acquisition from the buckets of four scopes and a slot, and its end. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AcquireJmh {
  private static final Rates PLENTY = new Rates(1_000_000_000, 10_000_000_000L);
  private static final RequestId REQUEST = RequestId.at(1_795_000_000_000L);
  private static final ModelId MODEL = new ModelId("acme", "one");

  private final LimitRules rules =
      new LimitRules(PLENTY, PLENTY, new PerKey(PLENTY, 1_000_000_000_000L, 100), PLENTY, Map.of());
  private final LocalCounters counters = new LocalCounters(this::later, 1_000);
  private final LimitSets allotments = new LimitSets();
  private final ApiKey key = TestCatalog.key();
  private long nanos;

  /**
   * Two clock readings for each request, half a millisecond apart, so that buckets refill as fast
   * as they are emptied.
   */
  private long later() {
    return nanos += 500_000;
  }

  @Benchmark
  public AcquireResult takeAndEnd() {
    if (!(LimitRules.plan(REQUEST, allotments.of(rules, key, MODEL), 1_000)
        instanceof AcquirePlan.Required asked)) {
      throw new AssertionError("nothing is limited");
    }
    AcquireResult[] results = new AcquireResult[1];
    counters.acquire(asked.acquire(), Runnable::run, answer -> results[0] = answer);
    if (!(results[0] instanceof AcquireResult.AllAcquired)) {
      throw new AssertionError(results[0]);
    }
    counters.end(asked.acquire(), 400);
    return results[0];
  }
}
