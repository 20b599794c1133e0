package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Speech flows as it is made: what was said is priced, and a body that is cut is no success. */
class SpeechTest {
  private static final String ASK =
      "{\"model\":\"acme/one\",\"input\":\"Say it.\",\"voice\":\"alloy\"}";
  private static final String ASK_EVENTS = ASK.replace("}", ",\"stream_format\":\"sse\"}");
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 10\r\n\r\n";

  private static Scenario scenario(String... providers) {
    return Scenario.of(TestCatalog.of(Modality.SPEECH, TestCatalog.all(providers)));
  }

  @Test
  void itsBytesAreHandedOnAsTheyComeAndItsCostIsKnownBefore() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      ProviderLink provider = scenario.link(0);
      assertThat(provider.received()).contains("\r\naccept: */*\r\n").doesNotContain("stream");
      provider.send(HEAD + "ID3");
      assertThat(client.contentType()).isEqualTo("audio/mpeg");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("7");
      assertThat(client.hasField("X-LLM-Cost-Estimated")).isFalse();
      provider.send("\u0000\u00ff\r\n\r\n".getBytes(ISO_8859_1));
      provider.send("x");

      assertThat(client.pieces()).containsExactly("ID3", "\u0000\u00ff\r\n\r\n", "x");
      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(scenario.served().cost().value()).isEqualTo(7);
      assertThat(scenario.served().usage().estimated()).isFalse();
      assertThat(provider.isOpen()).as("serves again").isTrue();
    }
  }

  @Test
  void aBodyThatIsCutIsNoSuccessAndPaid() {
    try (var scenario = scenario("alpha", "beta")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      scenario.link(0).send(HEAD + "ID3");
      scenario.link(0).fin();

      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
      assertThat(scenario.requests()).as("not asked for again").isOne();
      assertThat(scenario.served().cost().value()).isEqualTo(7);
      var charged = scenario.ledger().charged();
      assertThat(charged).singleElement().matches(one -> one.how() == SettlementKind.PARTIAL);
    }
  }

  @Test
  void aSilenceBehindTheFirstBytesCutsItOff() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      scenario.link(0).send(HEAD + "ID3");
      scenario.passSeconds(31);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(scenario.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void beforeTheFirstByteAnotherProviderServes() {
    for (String bad :
        new String[] {
          "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 0\r\n\r\n",
          OpenAiWire.response(200, "OK", "", OpenAiWire.errorBody("server_error", "No.")),
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>",
          "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
        }) {
      try (var scenario = scenario("alpha", "beta")) {
        RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
        scenario.link(0).send(bad);
        scenario.link(1).send(OpenAiWire.audio("ID3"));
        assertThat(client.text()).as(bad).isEqualTo("ID3");
        assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
        assertThat(scenario.ledger().charged()).hasSize(1);
      }
    }
  }

  @Test
  void noPingIsSentBetweenBytes() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      scenario.passSeconds(16);
      assertThat(client.isOpened()).as("committed early").isFalse();
      scenario.link(0).send(HEAD + "ID3");
      scenario.passSeconds(16);
      scenario.link(0).send("1234567");
      assertThat(client.text()).isEqualTo("ID31234567");
    }
  }

  @Test
  void whoReadsSlowlyStopsTheReadsFromItsProvider() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      scenario.link(0).send(HEAD + "ID3");
      client.writable(false);
      scenario.link(0).send("1");
      assertThat(scenario.link(0).isReadPending()).isFalse();
      scenario.passSeconds(300);
      client.writable(true);
      assertThat(scenario.link(0).isReadPending()).isTrue();
      scenario.link(0).send("234567");
      assertThat(client.text()).isEqualTo("ID31234567");
    }
  }

  @Test
  void aClientThatLeavesPaysForWhatWasSpokenOnceBytesWereSent() {
    try (var scenario = scenario("alpha")) {
      RecordedClient early = scenario.ask(Endpoint.SPEECH, ASK);
      early.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.lastServed().cost().value()).isZero();
      RecordedClient late = scenario.ask(Endpoint.SPEECH, ASK);
      scenario.lastRequestLink().send(HEAD + "ID3");
      late.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.lastServed().cost().value()).isEqualTo(7);
      assertThat(scenario.records()).hasSize(2);
    }
  }

  @Test
  void aTypeThatSaysNothingIsReplaced() {
    try (var scenario = scenario("alpha")) {
      String wav = ASK.replace("}", ",\"response_format\":\"wav\"}");
      RecordedClient client = scenario.ask(Endpoint.SPEECH, wav);
      scenario.link(0).send(HEAD.replace("audio/mpeg", "application/octet-stream") + "RIFF123456");
      assertThat(client.contentType()).isEqualTo("audio/wav");
    }
  }

  @Test
  void whatIsPricedByTokensIsEstimatedAndSaysSo() {
    PriceList prices = PriceList.ofTokens(TokenPrices.of(1_000_000, 2_000_000));
    try (var scenario =
        Scenario.of(TestCatalog.of(Modality.SPEECH, prices, TestCatalog.provider("alpha")))) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK);
      String second = "x".repeat(16_000); // of MP3
      scenario.link(0).send("HTTP/1.1 200 OK\r\nContent-Length: 16000\r\n\r\n" + second);
      assertThat(client.contentType()).isEqualTo("audio/mpeg");
      assertThat(client.field("X-LLM-Cost-Estimated")).isEqualTo("true");
      assertThat(scenario.served().cost().value()).isEqualTo(3 + 2 * 21);
      assertThat(scenario.served().usage().audioOutputTokens()).isEqualTo(21);
      long reported = Long.parseLong(client.field("X-LLM-Cost-Micro"));
      assertThat(reported).isEqualTo(scenario.ledger().charged().getFirst().reserved().value());
      assertThat(reported).isGreaterThanOrEqualTo(scenario.served().cost().value());
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  @Test
  void asEventsItPassesWithItsChargeInTheLast() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK_EVENTS);
      String delta = "{\"type\":\"speech.audio.delta\", \"audio\":\"SUQz\"}";
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(delta));
      assertThat(client.text()).isEqualTo("data: " + delta + "\n\n");
      scenario
          .link(0)
          .send(
              OpenAiWire.event(
                      "{\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":3,"
                          + "\"output_tokens\":9,\"total_tokens\":12,\"x_llm_cost_micro\":0}}")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text())
          .endsWith(
              "data: {\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":3,"
                  + "\"output_tokens\":9,\"total_tokens\":12,\"x_llm_cost_micro\":7}}\n\n"
                  + "data: [DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void anEventThatCannotBeReadBreaksItOff() {
    for (String broken : List.of("{\"type\":\"speech.audio.delta\",\"audio\":\"SU", "[]", "{}")) {
      try (var scenario = scenario("alpha")) {
        RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK_EVENTS);
        String delta = "{\"type\":\"speech.audio.delta\",\"audio\":\"SUQz\",\"x\":%s}";
        scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(delta.formatted("NaN")));
        scenario.link(0).send(OpenAiWire.event(broken) + OpenAiWire.event(delta.formatted(1)));
        assertThat(client.text())
            .startsWith("data: " + delta.formatted("null") + "\n\n")
            .doesNotContain("\"x\":1");
        assertThat(client.fault().code()).as(broken).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      }
    }
  }

  @Test
  void eventsThatBreakOffEndInAnErrorEvent() {
    try (var scenario = scenario("alpha")) {
      RecordedClient client = scenario.ask(Endpoint.SPEECH, ASK_EVENTS);
      String delta = "{\"type\":\"speech.audio.delta\",\"audio\":\"SUQz\"}";
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(delta));
      scenario.link(0).send(OpenAiWire.event("{\"type\":\"error\",\"message\":\"No.\"}"));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.STREAM_INTERRUPTED);
      assertThat(scenario.served().cost().value()).isEqualTo(7);
    }
  }
}
