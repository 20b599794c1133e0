package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitFault;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class LimitMetricsTest {
  private final Metrics metrics = new Metrics();
  private final LimitMetrics limits = new LimitMetrics(metrics);

  @Test
  void aModelThatIsPassedOverIsCountedByItsNameAndWhyAndIsNoRefusal() throws IOException {
    limits.passedOver(new ModelId("acme", "two"), LimitFault.unavailable());
    assertThat(scrape())
        .contains(
            "tollgate_limit_passed_over_total{code=\"service_unavailable\",model=\"acme/two\"} 1.0")
        .doesNotContain("tollgate_limit_refusals_total{");
  }

  private String scrape() throws IOException {
    return metrics.scrape(null).text();
  }
}
