package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an operator adds to the head of a request to a provider. */
class ProviderHeadersTest {
  @Test
  void aConfiguredUserAgentReplacesOurs() {
    assertThat(fields(Map.of())).contains("user-agent: tollgate");

    List<String> fields = fields(Map.of("User-Agent", "acme/1", "X-Team", "a"));

    assertThat(fields).contains("user-agent: acme/1", "x-team: a");
    assertThat(fields.stream().map(field -> field.substring(0, field.indexOf(':'))))
        .as("each field once")
        .doesNotHaveDuplicates();
  }

  /** The fields of the request that a provider with these headers gets. */
  private static List<String> fields(Map<String, String> headers) {
    try (var scenario = Scenario.of(TestCatalog.of(provider(headers)))) {
      scenario.askPlain();
      String received = scenario.link(0).received();
      scenario.link(0).send(OpenAiWire.error(400, "invalid_request_error", "no"));
      return received
          .substring(0, received.indexOf("\r\n\r\n"))
          .lines()
          .skip(1)
          .map(line -> line.toLowerCase(Locale.ROOT))
          .toList();
    }
  }

  private static Provider provider(Map<String, String> headers) {
    Provider usual = TestCatalog.provider("alpha");
    return new Provider(
        usual.id(),
        usual.dialect(),
        usual.endpoint(),
        usual.basePath(),
        usual.credentials(),
        headers,
        usual.timeouts(),
        usual.pool(),
        usual.circuit(),
        usual.quirks(),
        usual.onDisconnect(),
        usual.eventBytesMax());
  }
}
