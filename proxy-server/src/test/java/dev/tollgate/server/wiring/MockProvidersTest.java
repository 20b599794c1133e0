package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.server.settings.ProviderSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MockProvidersTest {
  private static final ProviderId MOCK = new ProviderId("mock");

  @Test
  void theWordsOfAMockDependOnItsSeed() {
    assertThat(reply(7)).isEqualTo(reply(7)).isNotEqualTo(reply(8));
  }

  private static String reply(long seed) {
    var settings = new ProviderSettings.Mock(Duration.ZERO, Duration.ZERO, 8, seed);
    try (var mocks = new MockProviders(Map.of(MOCK, settings));
        var client = RawClient.connect(mocks.port(MOCK))) {
      return client.post("/v1/chat/completions", "{\"model\":\"m\"}").readResponse().text();
    }
  }
}
