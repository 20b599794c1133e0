package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/**
 * Streams that are opened before a provider answers, and pings in the silence
 * (docs/decisions/streaming.md#pings).
 */
class PingsTest {
  private static final String PING = ": ping\n\n";

  @Test
  void aWaitingStreamIsOpenedWithAPingAfterFifteenSeconds() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.passMillis(14_900);
      assertThat(client.isOpened()).isFalse();
      scenario.passMillis(100);
      assertThat(client.isOpened()).isTrue();
      assertThat(client.text()).isEqualTo(PING);
      assertThat(client.field("X-LLM-Routing-Reason")).endsWith(" committed=early");
      assertThat(client.field("Server-Timing")).isEqualTo("gw;dur=0.00, upstream;dur=15000.00");

      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      scenario.passMillis(14_900);
      assertThat(client.pieces()).hasSize(1);
      scenario.passMillis(100);
      assertThat(client.text()).isEqualTo(PING + PING);

      scenario.link(0).send(OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      scenario.passSeconds(60);
      assertThat(client.text()).as("no ping after the end").endsWith("data: [DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void aStreamOpenedEarlyGetsTheFailureAsAnEvent() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(30);

      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(client.pieces().getLast())
          .contains("\"choices\":[]", "\"x_llm_cost_micro\":0", "\"provider\":\"alpha\"");
      assertThat(scenario.record().status()).isEqualTo(200);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.PROVIDER_TIMEOUT);
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void aStreamOpenedEarlyMayStillBeServedByAnotherProvider() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(20);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "oops"));
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));

      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(client.text()).contains("\"provider\":\"beta\"").doesNotContain("alpha");
      assertThat(scenario.served().provider()).hasToString("beta");
    }
  }

  @Test
  void aStreamOpenedEarlyWhoseProviderStaysSilentIsServedOverAnotherOnesIdleConnection() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.ask(only("beta"));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("before"));
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(30);
      ProviderLink asked = scenario.lastRequestLink();
      assertThat(asked.host()).isEqualTo("beta.example");
      scenario.passSeconds(1);
      asked.send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.lastServed().provider()).hasToString("beta");
    }
  }

  private static String only(String provider) {
    return TestCatalog.STREAM_REQUEST.replace(
        "\"stream\":true,", "\"stream\":true,\"routing\":{\"only\":[\"" + provider + "\"]},");
  }

  @Test
  void pingsComeOnlyAfterSilenceAndBetweenEvents() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      String event = OpenAiWire.event(OpenAiWire.content("two"));
      scenario.passSeconds(10).link(0).send(event.substring(0, 40));
      scenario.passMillis(4_900);
      assertThat(client.text()).doesNotContain("ping");
      scenario.passMillis(100);
      assertThat(client.pieces().getLast()).isEqualTo(PING);
      scenario.link(0).send(event.substring(40));
      assertThat(client.pieces().getLast()).contains("two");
      scenario.passMillis(14_900);
      assertThat(client.pieces().getLast()).as("the event began a new silence").contains("two");
      scenario.passMillis(100);
      assertThat(client.pieces().getLast()).isEqualTo(PING);
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aClientThatDoesNotReadIsNotPinged() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      client.writable(false);
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("one")));
      scenario.passSeconds(25);
      assertThat(client.text()).doesNotContain("ping");
      client.writable(true);
      scenario.passSeconds(15);
      assertThat(Collections.frequency(client.pieces(), PING)).isOne();
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aPlainRequestIsNeverPinged() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(29);
      assertThat(client.isOpened()).isFalse();
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }
}
