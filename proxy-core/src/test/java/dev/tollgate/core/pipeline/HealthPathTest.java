package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import org.junit.jupiter.api.Test;

/** The path for probes of load balancers, which send it every second: no record has any of them. */
final class HealthPathTest {
  @Test
  void probesAreAnsweredAndNotRecorded() throws Exception {
    var options = TestGateway.options("/healthz", null);
    try (TestGateway gateway = new TestGateway(Transport.auto(), options, null);
        RawClient client = gateway.connect()) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.get("/healthz").readResponse().text()).isEqualTo("ok\n");
      }
      assertThat(client.get("/healthy").readResponse().status()).isEqualTo(404);
      assertThat(gateway.awaitRecord().status()).isEqualTo(404);
      assertThat(gateway.records).isEmpty();
    }
  }
}
