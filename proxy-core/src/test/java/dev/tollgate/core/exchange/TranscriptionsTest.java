package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transcripts are charged by what their provider counts, else by the length of the file. */
class TranscriptionsTest {
  private static final PriceList BY_SECOND =
      new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 100_000_000, List.of(), 0, 0);

  private static Scenario byTokens(String... providers) {
    return Scenario.of(TestCatalog.of(Modality.TRANSCRIPTION, TestCatalog.all(providers)));
  }

  private static Scenario bySeconds() {
    return Scenario.of(
        TestCatalog.of(Modality.TRANSCRIPTION, BY_SECOND, TestCatalog.provider("alpha")));
  }

  private static RecordedClient ask(Scenario scenario, String... more) {
    return scenario.ask(Endpoint.TRANSCRIPTIONS, OpenAiWire.form(8_000, more));
  }

  @Test
  void aTranscriptInJsonCarriesItsCharge() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario);
      assertThat(scenario.link(0).received())
          .startsWith("POST /v1/audio/transcriptions HTTP/1.1\r\n")
          .contains("content-type: multipart/form-data; boundary=b\r\n", "\r\naccept: */*\r\n")
          .contains("name=\"model\"\r\n\r\none-at-alpha\r\n--b")
          .endsWith("\r\n--b--\r\n");
      scenario.link(0).send(OpenAiWire.transcript(37, 5));

      assertThat(client.whole().contentType()).isEqualTo("application/json");
      assertThat(client.whole().body())
          .isEqualTo(
              "{\"model\":\"acme/one\",\"provider\":\"alpha\",\"text\":\"Say it.\",\"usage\":"
                  + "{\"type\":\"tokens\",\"input_tokens\":37,\"output_tokens\":5,"
                  + "\"total_tokens\":42,\"x_llm_cost_micro\":47}}");
      assertThat(scenario.served().usage().estimated()).isFalse();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "srt", "vtt"})
  void textKeepsItsTypeAndItsCostIsInTheHeadAlone(String format) {
    try (var scenario = bySeconds()) {
      RecordedClient client = ask(scenario, "response_format=" + format);
      scenario
          .link(0)
          .send(
              OpenAiWire.response(200, "OK", "", "1\n00:00 --> 00:02\nSay it.\n")
                  .replace("application/json", "text/x-" + format));
      assertThat(client.whole().contentType()).isEqualTo("text/x-" + format);
      assertThat(client.whole().body()).isEqualTo("1\n00:00 --> 00:02\nSay it.\n");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("200"); // 8,000 bytes are 2 s
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 8_000, 400_000})
  void subtitlesSayHowLongTheyAre(int fileBytes) {
    try (var scenario = bySeconds()) {
      RecordedClient client =
          scenario.ask(Endpoint.TRANSCRIPTIONS, OpenAiWire.form(fileBytes, "response_format=srt"));
      String srt = "1\n00:00:00,000 --> 00:00:02,000\nSay it.\n";
      scenario
          .link(0)
          .send(OpenAiWire.response(200, "OK", "", srt).replace("application/json", "text/plain"));
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("200");
      assertThat(client.field("X-LLM-Cost-Estimated")).isEqualTo("true");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"usage\":{\"input_tokens\":99999999,\"output_tokens\":0}",
        "\"usage\":{\"input_tokens\":20,\"output_tokens\":99999999}",
        "\"usage\":{\"type\":\"duration\",\"seconds\":999999}",
        "\"duration\":1e9",
        "\"duration\":-1,\"usage\":{\"seconds\":\"3\"}"
      })
  void anAbsurdCountIsNeitherChargedNorShown(String reported) {
    boolean isByTokens = reported.contains("tokens");
    try (var scenario = isByTokens ? byTokens("alpha") : bySeconds()) {
      RecordedClient client = ask(scenario);
      scenario
          .link(0)
          .send(OpenAiWire.response(200, "OK", "", "{\"text\":\"Hi\"," + reported + "}"));
      assertThat(client.whole().body())
          .contains("\"x_llm_usage_estimated\":true")
          .contains(isByTokens ? "\"input_tokens\":20," : "\"seconds\":2,")
          .doesNotContain("99999999,", ":99999999", "999999,", "\"3\"");
      assertThat(scenario.served().cost().value()).isBetween(20L, 200L);
    }
  }

  @Test
  void whatAProviderSaysOfItsTimeIsCharged() {
    for (String reported :
        new String[] {
          "\"usage\":{\"type\":\"duration\",\"seconds\":3}",
          "\"duration\":3.0,\"segments\":[]",
          "\"usage\":{\"prompt_audio_seconds\":3,\"prompt_tokens\":3,\"completion_tokens\":1}"
        }) {
      try (var scenario = bySeconds()) {
        RecordedClient client = ask(scenario, "response_format=verbose_json");
        scenario
            .link(0)
            .send(OpenAiWire.response(200, "OK", "", "{\"text\":\"Hi\"," + reported + "}"));
        assertThat(client.whole().body()).as(reported).contains("\"x_llm_cost_micro\":300");
        assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      }
    }
  }

  @Test
  void aProviderThatSaysNothingIsEstimatedByTheFile() {
    try (var scenario = bySeconds()) {
      RecordedClient client = ask(scenario);
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", "{\"text\":\"Hi\"}"));
      assertThat(client.field("X-LLM-Cost-Estimated")).isEqualTo("true");
      assertThat(client.whole().body())
          .endsWith(
              "\"usage\":{\"type\":\"duration\",\"seconds\":2,\"x_llm_cost_micro\":200,"
                  + "\"x_llm_usage_estimated\":true}}");
    }
  }

  @Test
  void anErrorOrNothingInATranscriptsPlaceIsAskedOfTheNext() {
    for (String bad :
        new String[] {
          OpenAiWire.response(200, "OK", "", OpenAiWire.errorBody("server_error", "No.")),
          OpenAiWire.response(200, "OK", "", "{\"task\":\"transcribe\"}"),
          OpenAiWire.response(200, "OK", "", "Say it."),
          OpenAiWire.response(200, "OK", "", "<p>").replace("application/json", "text/html"),
          OpenAiWire.response(200, "OK", "", "Say it.").replace("application/json", "text/plain")
        }) {
      try (var scenario = byTokens("alpha", "beta")) {
        RecordedClient client = ask(scenario);
        scenario.link(0).send(bad);
        assertThat(scenario.link(1).received()).as(bad).contains("one-at-beta");
        scenario.link(1).send(OpenAiWire.transcript(37, 5));
        assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
      }
    }
  }

  @Test
  void aStreamPassesWithItsChargeInTheLastEvent() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario, "stream=true");
      ProviderLink provider = scenario.link(0);
      String delta = "{\"type\":\"transcript.text.delta\",\"delta\":\"Say it.\"}";
      provider.send(OpenAiWire.STREAM_HEAD + OpenAiWire.chunk("data: " + delta + "\r\n\r\n"));
      assertThat(client.text()).isEqualTo("data: " + delta + "\n\n");
      String usage = "{\"input_tokens\":37,\"output_tokens\":5,\"total_tokens\":42}";
      provider.send(
          OpenAiWire.event(
                  "{\"type\":\"transcript.text.done\",\"text\":\"Say it.\",\"usage\":"
                      + usage
                      + "}")
              + OpenAiWire.event("[DONE]")
              + OpenAiWire.LAST_CHUNK);
      assertThat(client.text())
          .endsWith("\"total_tokens\":42,\"x_llm_cost_micro\":47}}\n\ndata: [DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(provider.isOpen()).isTrue();
    }
  }

  /** As OpenAI does with whisper-1. */
  @ParameterizedTest
  @ValueSource(strings = {"application/json", "Application/JSON", "text/plain; charset=utf-8"})
  void aStreamThatItsModelDoesNotHaveIsAPlainTranscript(String type) {
    boolean isText = type.startsWith("text");
    String format = "response_format=" + (isText ? "text" : "json");
    String body = isText ? "Say it.\n" : "{\"text\":\"Say it.\"}";
    try (var scenario = bySeconds()) {
      for (int k = 0; k < 8; k++) { // as many failures would open a circuit
        RecordedClient client = ask(scenario, "stream=true", format);
        scenario
            .link(0)
            .send(OpenAiWire.response(200, "OK", "", body).replace("application/json", type));
        assertThat(client.whole().contentType()).isEqualTo(isText ? type : "application/json");
        assertThat(client.whole().body()).startsWith(isText ? body : "{\"model\":\"acme/one\"");
        assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("200");
      }
      assertThat(scenario.requests()).isEqualTo(8);
      assertThat(scenario.records())
          .allSatisfy(
              record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "text"})
  void itIsTheLastEventWhereTheStreamWasOpenedBeforeItCame(String format) {
    boolean isText = format.equals("text");
    String body = isText ? "Say \"it\"." : "{\"text\":\"Say \\\"it\\\".\"}";
    try (var scenario = bySeconds()) {
      RecordedClient client = ask(scenario, "stream=true", "response_format=" + format);
      scenario.passSeconds(40); // longer than the head of a stream may take
      assertThat(client.text()).startsWith(": ping\n\n");
      scenario
          .link(0)
          .send(
              OpenAiWire.response(200, "OK", "", body)
                  .replace("application/json", isText ? "text/plain" : "application/json"));
      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(client.text())
          .endsWith(
              "data: {\"type\":\"transcript.text.done\",\"text\":\"Say \\\"it\\\".\",\"usage\":"
                  + "{\"type\":\"duration\",\"seconds\":2,\"x_llm_cost_micro\":200,"
                  + "\"x_llm_usage_estimated\":true}}\n\ndata: [DONE]\n\n");
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void anErrorInPlaceOfItsStreamIsAskedOfTheNext() {
    try (var scenario = byTokens("alpha", "beta")) {
      RecordedClient client = ask(scenario, "stream=true");
      scenario
          .link(0)
          .send(OpenAiWire.response(200, "OK", "", OpenAiWire.errorBody("server_error", "No.")));
      scenario.link(1).send(OpenAiWire.transcript(37, 5));
      assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
    }
  }

  @Test
  void aStreamThatBreaksOffIsAnError() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario, "stream=true");
      String delta = "{\"type\":\"transcript.text.delta\",\"delta\":\"Say it.\"}";
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(delta) + OpenAiWire.LAST_CHUNK);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
      assertThat(scenario.served().cost().isPositive()).isTrue();
      assertThat(scenario.served().usage().estimated()).isTrue();
      assertThat(client.text()).as("no event says so").isEqualTo("data: " + delta + "\n\n");
      assertThat(client.fault().details().get("usage"))
          .asString()
          .contains("\"x_llm_cost_micro\":" + scenario.served().cost().value())
          .contains("\"x_llm_usage_estimated\":true");
    }
  }

  @Test
  void whatFailsBehindAnEarlyHeadCostsNothingAndSaysSo() {
    try (var scenario = bySeconds()) {
      RecordedClient client = ask(scenario, "stream=true");
      scenario.passSeconds(16);
      scenario.link(0).send(OpenAiWire.error(400, "invalid", "No."));
      assertThat(client.text()).isEqualTo(": ping\n\n");
      assertThat(client.fault().details().get("usage"))
          .asString()
          .contains("\"seconds\":0,\"x_llm_cost_micro\":0");
    }
  }

  /** As vLLM streams: in chunks, of which the last has no choice if usage was asked for. */
  @ParameterizedTest
  @ValueSource(strings = {"", "{\"object\":\"transcription.chunk\",\"choices\":[],\"usage\":{}}"})
  void aStreamWithoutALastEventGetsOneWithItsCharge(String last) {
    try (var scenario = bySeconds()) {
      RecordedClient client = ask(scenario, "stream=true");
      String chunk =
          "{\"object\":\"transcription.chunk\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}";
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(chunk)
                  + (last.isEmpty() ? "" : OpenAiWire.event(last))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text())
          .isEqualTo(
              OpenAiWire.data(chunk)
                  + "data: {\"object\":\"transcription.chunk\",\"choices\":[],\"usage\":{"
                  + "\"type\":\"duration\",\"seconds\":2,\"x_llm_cost_micro\":200,"
                  + "\"x_llm_usage_estimated\":true}}\n\ndata: [DONE]\n\n");
    }
  }

  @Test
  void soDoesOneOfEventsThatEndsWithoutItsLast() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario, "stream=true");
      String delta = "{\"type\":\"transcript.text.delta\",\"delta\":\"Say it.\"}";
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(delta)
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.text())
          .contains("data: {\"type\":\"transcript.text.done\",\"text\":\"\",\"usage\":{")
          .contains("\"x_llm_cost_micro\":" + scenario.served().cost().value());
    }
  }

  @Test
  void theLastEventCountsWhileItIsHeldBack() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario, "stream=true");
      String text = "x".repeat(200_000);
      long before = scenario.inflight().held();
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(
                      "{\"type\":\"transcript.text.done\",\"text\":\"" + text + "\"}"));
      assertThat(scenario.run().inflight().held() - before).isGreaterThan(200_000);
      scenario.link(0).send(OpenAiWire.LAST_CHUNK);
      assertThat(client.text()).contains(text);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void aClientThatLeavesLeavesNothingBehind() {
    try (var scenario = byTokens("alpha")) {
      RecordedClient client = ask(scenario);
      assertThat(scenario.inflight().held()).isGreaterThanOrEqualTo(8_000);
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", "{}").substring(0, 30));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.run().link(0).isOpen()).isFalse();
      assertThat(scenario.inflight().held()).isZero();
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void aLargeFileIsSentFromTheBodyItCameIn() {
    byte[] form = OpenAiWire.form(700_000).getBytes(ISO_8859_1);
    try (var scenario = byTokens("alpha", "beta")) {
      RecordedClient client = scenario.ask(Endpoint.TRANSCRIPTIONS, form);
      for (int tries = 0; tries < 2; tries++) {
        long sent = 0;
        for (var part : scenario.link(tries).takeWritten()) {
          sent += part.readableBytes();
          assertThat(part.readableBytes()).isLessThanOrEqualTo(64 * 1024);
          if (part.readableBytes() >= 1_024) {
            assertThat(part.array()).as("no copy of the file").isSameAs(form);
          }
          part.release();
        }
        assertThat(sent).isGreaterThan(700_000);
        scenario
            .link(tries)
            .send(tries == 0 ? OpenAiWire.error(500, "x", "No.") : OpenAiWire.transcript(1, 1));
      }
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.inflight().held()).isZero();
    }
  }
}
