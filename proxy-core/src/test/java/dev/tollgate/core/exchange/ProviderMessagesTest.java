package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a provider says about a failure of its own is recorded; what may quote a request is not. */
class ProviderMessagesTest {
  @Test
  void ofEachFailureOfAProviderTheListOfAttemptsHasItsWords() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "GPU 3 is lost"));
      scenario.link(1).send(OpenAiWire.error(529, "overloaded", "all engines are busy"));
      scenario.link(2).send(OpenAiWire.error(503, "server_error", ""));

      Fault fault = client.fault();
      assertThat(fault.message()).isEqualTo("the provider failed");
      assertThat(fault.details().get("attempts"))
          .asString()
          .contains("message=GPU 3 is lost", "message=all engines are busy")
          .doesNotContain("message=,", "message=}");
      assertThat(scenario.served().attempts())
          .extracting("message")
          .containsExactly("GPU 3 is lost", "all engines are busy", "");
    }
  }

  @Test
  void itIsShortenedAndHasNoCredential() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      String long400 = "no engine for sk-of-alpha " + "x".repeat(400);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", long400));
      scenario.link(1).send(OpenAiWire.completion("one"));
      String recorded = scenario.served().attempts().getFirst().reason();
      assertThat(recorded).startsWith("no engine for *** xxx").endsWith("x…").hasSize(300);
    }
  }

  @Test
  void anErrorEventOfAStreamIsRecordedToo() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askStream();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD)
          .send(OpenAiWire.event(OpenAiWire.content("Half")))
          .send(OpenAiWire.event(OpenAiWire.errorBody("server_error", "engine restarted")));
      assertThat(scenario.served().attempts())
          .extracting("outcome", "message")
          .containsExactly(tuple("interrupted", "engine restarted"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 413, 422})
  void noOtherMessageIsRecorded(int status) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(status, "some_error", "you said: my secret"));
      if (scenario.links() > 1) {
        scenario.link(1).send(OpenAiWire.error(status, "some_error", "you said: my secret"));
      }
      assertThat(client.fault().details().get("attempts")).asString().doesNotContain("secret");
      assertThat(scenario.served().attempts())
          .allSatisfy(attempt -> assertThat(attempt.reason()).doesNotContain("secret"));
    }
  }
}
