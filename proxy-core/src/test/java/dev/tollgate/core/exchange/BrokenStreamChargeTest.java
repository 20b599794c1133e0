package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A count that a provider gave on the way is not the last word on a stream that broke off. */
class BrokenStreamChargeTest {
  private static String twoWordsAfterACountOf(int promptTokens) {
    return OpenAiWire.STREAM_HEAD
        + OpenAiWire.event(OpenAiWire.usage(promptTokens, 0))
        + OpenAiWire.event(OpenAiWire.content("one"))
        + OpenAiWire.event(OpenAiWire.content("two"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7})
  void theProviderLeaves(int promptTokens) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(twoWordsAfterACountOf(promptTokens)).fin();

      requireBothWordsCharged(scenario);
      assertThat(client.pieces().getLast())
          .contains("\"completion_tokens\":2", "\"x_llm_usage_estimated\":true");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7})
  void theClientLeaves(int promptTokens) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(twoWordsAfterACountOf(promptTokens));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();

      requireBothWordsCharged(scenario);
    }
  }

  private static void requireBothWordsCharged(Scenario scenario) {
    assertThat(scenario.served().usage().completionTokens()).isEqualTo(2);
    assertThat(scenario.served().usage().promptTokens()).isPositive();
    assertThat(scenario.served().usage().estimated()).isTrue();
  }
}
