package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The five timeouts with their defaults (docs/decisions/retries.md#timeouts). */
@Tag("corpus")
class TimeoutDefaultsTest {
  private static final String PLAIN_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
  private static final String PLAIN = OpenAiWire.completion("fine");

  @Test
  void theHeadMustComeWithinResponseHeaderHoweverSlowlyItDrips() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      for (int n = 0; n < 29; n++) {
        scenario.passSeconds(1).link(0).send(OpenAiWire.STREAM_HEAD.substring(n, n + 1));
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(scenario.link(0).isOpen()).isFalse();
      assertThat(scenario.served().attempts()).as("a silent provider is not repeated").hasSize(1);
    }
  }

  /** A provider that sends the head with the body must have written all of it by then. */
  @Test
  void aPlainReplyMayTakeAsLongForItsHeadAsForItsFirstByte() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(59).link(0).send(PLAIN);
      assertThat(client.whole().status()).isEqualTo(200);
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(59);
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(scenario.served().attempts()).as("a silent provider is not repeated").hasSize(1);
    }
    Provider patient =
        TestCatalog.withClocks(
            "alpha",
            c ->
                new Provider.ProviderTimeouts(
                    c.connect(), Duration.ofSeconds(90), c.firstToken(), c.idle(), c.total()));
    try (var scenario = Scenario.of(TestCatalog.of(patient))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(89).link(0).send(PLAIN);
      assertThat(client.whole().status()).as("whichever is longer").isEqualTo(200);
    }
  }

  @Test
  void theHeadOfAStreamHasTheShorterOfBothTimeouts() {
    Provider quick =
        TestCatalog.withClocks(
            "alpha",
            c ->
                new Provider.ProviderTimeouts(
                    c.connect(), c.responseHeader(), Duration.ofSeconds(10), c.idle(), c.total()));
    try (var scenario = Scenario.of(TestCatalog.of(quick))) {
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(9);
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
    }
  }

  @Test
  void commentsAndRoleChunksAreNoFirstToken() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      ProviderLink provider =
          scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
      for (int n = 0; n < 59; n++) {
        scenario.passSeconds(1);
        provider.send(OpenAiWire.chunk(": still thinking\n\n"));
      }
      assertThat(scenario.links()).isOne();
      scenario.passSeconds(1);
      assertThat(scenario.links()).as("another provider is asked").isEqualTo(2);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text()).contains("\"provider\":\"beta\"");
      assertThat(client.field("X-LLM-Provider")).as("the one tried at commit").isEqualTo("alpha");
    }
  }

  @Test
  void anyByteKeepsARunningStreamAlive() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      for (int n = 0; n < 20; n++) {
        scenario.passSeconds(29).link(0).send(OpenAiWire.chunk(": hold on\n\n"));
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(29_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
    }
  }

  @Test
  void oneEventMayTakeTwiceIdleFromItsFirstToItsLastByte() {
    FaultRow row = FaultRow.of("U44");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.link(0).send(OpenAiWire.chunk("data: {"));
      for (int n = 0; n < 59; n++) {
        scenario.passSeconds(1).link(0).send(OpenAiWire.chunk(" "));
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo(row.codeInStream());
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
    }
  }

  @Test
  void eventAfterEventMayGoOnForHours() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      for (int n = 0; n < 300; n++) {
        scenario.passCoarse(29_000).link(0).send(OpenAiWire.event(OpenAiWire.content("w")));
      }
      scenario.link(0).send(OpenAiWire.wholeStream());
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  @Test
  void afterTheFinishFiveSecondsAreLeftForTheUsage() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.finish("stop")));
      for (int n = 0; n < 4; n++) {
        scenario.passSeconds(1).link(0).send(OpenAiWire.chunk(": wait\n\n"));
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  @Test
  void aPlainReplyHasFirstTokenForItsFirstByteAndIdleFromThenOn() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(PLAIN_HEAD);
      scenario.passSeconds(59);
      assertThat(client.isAnswered()).isFalse();
      scenario.link(0).send("{");
      scenario.passSeconds(29);
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
    }
  }

  @Test
  void aPlainReplyThatDripsForEverEndsAtItsTotal() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(PLAIN_HEAD);
      for (int n = 0; n < 29; n++) {
        scenario.passCoarse(20_000).link(0).send(" ");
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(20);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
    }
  }

  @Test
  void allAttemptsOfAPlainRequestShareOneDeadline() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(PLAIN_HEAD);
      for (int n = 0; n < 29; n++) {
        scenario.passCoarse(20_000).link(0).send(" ");
      }
      scenario.link(0).fin();
      scenario.link(1).send(PLAIN_HEAD);
      scenario.passMillis(19_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(scenario.served().attempts()).hasSize(2);
    }
  }

  @Test
  void theConnectClockIncludesNothingElse() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(29);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().timing().upstream()).isEqualTo(Duration.ofSeconds(29));
      assertThat(scenario.served().timing().overhead()).isZero();
      assertThat(client.field("Server-Timing")).isEqualTo("gw;dur=0.00, upstream;dur=29000.00");
    }
  }

  @Test
  void theBodyOfAnErrorHasIdleInAllHoweverItDrips() {
    String head = "HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\n";
    for (boolean stream : new boolean[] {true, false}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        RecordedClient client = stream ? scenario.askStream() : scenario.askPlain();
        scenario.link(0).send(head);
        scenario.passSeconds(29).link(0).send("x");
        assertThat(scenario.links()).isOne();
        scenario.passSeconds(1);
        assertThat(scenario.links()).as("another provider is asked").isEqualTo(2);
        assertThat(scenario.link(0).isOpen()).isFalse();
        scenario
            .link(1)
            .send(stream ? OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine") : PLAIN);
        assertThat(client.isAnswered()).isTrue();
        assertThat(scenario.served().attempts())
            .extracting("outcome")
            .containsExactly("server_error", "ok");
      }
    }
  }

  @Test
  void theTotalOfAPlainRequestRunsWhileConnecting() {
    Provider hasty =
        TestCatalog.withClocks(
            "alpha",
            c ->
                new Provider.ProviderTimeouts(
                    c.connect(),
                    c.responseHeader(),
                    c.firstToken(),
                    c.idle(),
                    Duration.ofSeconds(1)));
    try (var scenario = Scenario.of(TestCatalog.of(hasty))) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      RecordedClient client = scenario.askPlain();
      scenario.passMillis(900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      scenario.connector().acceptPending();
      assertThat(scenario.requests()).isZero();
    }
  }
}
