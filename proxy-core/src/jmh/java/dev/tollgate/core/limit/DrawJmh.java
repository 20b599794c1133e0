package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.LimitRules.Asked;
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

/** A request's draw from the buckets of four scopes and its slot, taken and ended. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DrawJmh {
  private static final Rates PLENTY = new Rates(1_000_000_000, 10_000_000_000L);
  private static final RequestId REQUEST = RequestId.at(1_795_000_000_000L);
  private static final ModelId MODEL = new ModelId("acme", "one");

  private final LimitRules rules =
      new LimitRules(PLENTY, PLENTY, new PerKey(PLENTY, 1_000_000_000_000L, 100), PLENTY, Map.of());
  private final LocalCounters counters = new LocalCounters(this::later, 1_000);
  private final Allotments allotments = new Allotments();
  private final ApiKey key = TestCatalog.key();
  private long nanos;

  /**
   * Two looks at the clock for each request, half a millisecond each: buckets refill as fast as it
   * empties them.
   */
  private long later() {
    return nanos += 500_000;
  }

  @Benchmark
  public Drawn takeAndEnd() {
    if (!(LimitRules.asked(REQUEST, allotments.of(rules, key, MODEL), 1_000)
        instanceof Asked.Of asked)) {
      throw new AssertionError("nothing is limited");
    }
    Drawn[] drawn = new Drawn[1];
    counters.take(asked.draw(), Runnable::run, answer -> drawn[0] = answer);
    if (!(drawn[0] instanceof Drawn.Taken)) {
      throw new AssertionError(drawn[0]);
    }
    counters.end(asked.draw(), 400);
    return drawn[0];
  }
}
