package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot.Unlimited;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.AcquireResult.Refused;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.LimitFault;
import dev.tollgate.core.testkit.TestAcquires;
import dev.tollgate.server.metrics.Metrics;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LimitMetricsTest {
  private final Metrics metrics = new Metrics();
  private final LimitMetrics limits = new LimitMetrics(metrics);

  @Test
  void aSkippedFallbackIsCountedAndIsNoRefusal() throws IOException {
    limits.fallbackSkipped(new ModelId("acme", "two"), LimitFault.unavailable());
    assertThat(scrape())
        .contains(
            "tollgate_fallbacks_skipped_by_limit_total{code=\"service_unavailable\",model=\"acme/two\"} 1.0")
        .doesNotContain("tollgate_limit_refusals_total{");
  }

  @Test
  void aRefusalIsCountedByItsCodeAndScope() throws IOException {
    limits.refused(refusedBy(LimitScope.KEY, Unit.TOKENS_PER_MINUTE));
    limits.refused(refusedBy(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_SECOND));
    limits.refused(refusedBy(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_MINUTE));
    limits.refused(LimitFault.unavailable());

    assertThat(scrape())
        .contains(
            "tollgate_limit_refusals_total{code=\"tokens_per_minute_exceeded\",scope=\"key\"} 1.0",
            "tollgate_limit_refusals_total{code=\"rate_limited\",scope=\"organization\"} 2.0",
            "tollgate_limit_refusals_total{code=\"service_unavailable\",scope=\"none\"} 1.0");
  }

  private static Fault refusedBy(LimitScope scope, Unit unit) {
    var take = new BucketAmount(new Bucket(scope, "k", unit, 5), 3);
    Acquire draw =
        TestAcquires.of(RequestId.at(1_795_000_000_000L), List.of(take), new Unlimited());
    return LimitFault.of(draw, new Refused(List.of(new Level(2, 1_000)), true));
  }

  private String scrape() throws IOException {
    return metrics.scrape(null).text();
  }
}
