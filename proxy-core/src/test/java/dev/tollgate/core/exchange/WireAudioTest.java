package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.LosslessRelayCheck;
import dev.tollgate.core.api.WireCase;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded call about audio, answered as if it came now, however its reply is cut. */
@Tag("corpus")
class WireAudioTest {
  static List<WireCase> cases() {
    return WireCase.family("openai-audio");
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(cases()).hasSize(7);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void itArrivesAndCostsTheSameHoweverItIsCut(WireCase one) {
    byte[] body = one.response();
    long whole = cost(one, body.length);
    assertThat(whole).isPositive();
    assertThat(cost(one, Math.max(1, body.length / 2_000))).isEqualTo(whole);
    assertThat(cost(one, 0)).as("at random").isEqualTo(whole);
  }

  /** Replays the recording in pieces of a fixed or a random size. Returns its cost. */
  private static long cost(WireCase one, int pieceBytes) {
    boolean isSpeech = one.name().contains("speech");
    Modality modality = isSpeech ? Modality.SPEECH : Modality.TRANSCRIPTION;
    try (var scenario = Scenario.of(TestCatalog.of(modality, TestCatalog.provider("alpha")))) {
      RecordedClient client =
          isSpeech
              ? scenario.ask(
                  Endpoint.SPEECH,
                  "{\"model\":\"acme/one\",\"input\":\"Say it.\",\"voice\":\"alloy\"}")
              : scenario.ask(
                  Endpoint.TRANSCRIPTIONS, OpenAiWire.form(8_000, "stream=" + one.isStream()));
      send(one, scenario.link(0), pieceBytes);
      if (isSpeech) {
        assertThat(client.text()).isEqualTo(new String(one.response(), ISO_8859_1));
        assertThat(client.contentType()).isEqualTo(type(one));
      } else if (one.isStream()) {
        requireEvents(one, client.text());
      } else {
        JsonNode got = ClientView.tree(client.whole().body());
        JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));
        assertThat(LosslessRelayCheck.kept(sent, got)).isEmpty();
        assertThat(got.path("text")).isEqualTo(sent.path("text"));
        requireCharged(sent, got, scenario.served().cost().value());
      }
      return scenario.served().cost().value();
    }
  }

  private static void send(WireCase one, ProviderLink provider, int pieceBytes) {
    byte[] body = one.response();
    provider.send(
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(type(one), body.length));
    var random = new Random(7);
    for (int from = 0; from < body.length; ) {
      int piece = pieceBytes == 0 ? 1 + random.nextInt(1 + body.length / 50) : pieceBytes;
      int to = Math.min(body.length, from + piece);
      provider.send(body, from, to);
      from = to;
    }
  }

  private static String type(WireCase one) {
    return one.meta().at("/response/headers/content-type").asText();
  }

  private static void requireEvents(WireCase one, String got) {
    String[] sent = new String(one.response(), UTF_8).strip().split("\r?\n\r?\n", -1);
    String[] events = got.strip().split("\n\n", -1);
    assertThat(events).hasSameSizeAs(sent);
    for (int n = 0; n < sent.length - 2; n++) {
      assertThat(events[n]).isEqualTo(sent[n]);
    }
    JsonNode done = ClientView.tree(events[events.length - 2].substring(6));
    requireCharged(ClientView.tree(sent[sent.length - 2].substring(6)), done, 37 + 2 * 145);
    assertThat(events[events.length - 1]).isEqualTo("data: [DONE]");
  }

  /** A micro-USD for each token of input, two for each of output; else estimated by the file. */
  private static void requireCharged(JsonNode sent, JsonNode got, long cost) {
    JsonNode usage = sent.path("usage");
    assertThat(got.at("/usage/x_llm_cost_micro").longValue()).isEqualTo(cost);
    assertThat(got.at("/usage/x_llm_usage_estimated").asBoolean()).isEqualTo(usage.isMissingNode());
    if (usage.has("input_tokens")) {
      long tokens =
          usage.path("input_tokens").longValue() + 2 * usage.path("output_tokens").longValue();
      assertThat(cost).isEqualTo(tokens);
    } else if (usage.has("prompt_tokens")) { // audio tokens are counted beside the prompt
      assertThat(cost).isEqualTo(3 + 375 + 2 * 11);
    }
  }
}
