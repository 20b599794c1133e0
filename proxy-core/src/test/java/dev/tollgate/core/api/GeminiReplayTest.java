package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.ReplayTable;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded Gemini replies, of both hosts, as chat completions. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class GeminiReplayTest {
  private static final Dialect DIALECT = Dialects.named("gemini");
  private static final ChatTranslation TRANSLATION = DIALECT.translation().orElseThrow();

  /** A model that calls an undeclared tool has failed. */
  private static final String UNDECLARED =
      "vertex/quirk-unexpected-tool-call--gemini-3-flash-preview";

  static List<WireCase> all() {
    return WireCase.family("gemini");
  }

  static List<WireCase> streams() {
    return all().stream().filter(one -> one.isStream() || isArray(one)).toList();
  }

  static List<WireCase> replies() {
    return all().stream().filter(one -> !one.isStream() && !isArray(one)).toList();
  }

  /** A stream requested without alt=sse, which the gateway never does: it has the same events. */
  private static boolean isArray(WireCase one) {
    return one.meta().path("wire").path("framing").asText().equals("json-array");
  }

  /** Returns the stream in its SSE form. */
  private static byte[] bytes(WireCase one) {
    if (!isArray(one)) {
      return one.response();
    }
    StringBuilder events = new StringBuilder();
    ClientView.tree(new String(one.response(), UTF_8))
        .forEach(event -> events.append("data: ").append(event).append("\r\n\r\n"));
    return events.toString().getBytes(UTF_8);
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(19);
    assertThat(replies()).hasSize(19);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    JsonNode expected = one.expectedChoice();
    boolean ends = !expected.path("finish").isNull();
    assertThat(relayed.isComplete()).isEqualTo(ends);
    if (!ends) {
      return;
    }
    WireExpectation.assertText(view.text(), expected.path("text"));
    WireExpectation.assertText(view.reasoning(), expected.path("reasoning"));
    assertThat(view.finish()).isEqualTo(WireExpectation.finish(one));
    JsonNode calls = expected.path("tool_calls");
    assertThat(view.calls()).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      ClientView.Call call = view.calls().get(i);
      assertThat(call.name).isEqualTo(calls.get(i).path("name").asText());
      assertSameJson(call.arguments.toString(), calls.get(i).path("arguments"));
      assertThat(call.id).isNotEmpty();
      assertThat(call.type).isNotEmpty();
    }
    assertUsage(one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @ParameterizedTest
  @MethodSource("streams")
  void signaturesComeOutWhereGoogleTellsClientsToFindThem(WireCase one) {
    String sent = new String(bytes(one), UTF_8);
    String got = relayed(one, Cut.WHOLE).text();
    assertThat(got.contains("\"extra_content\":{\"google\":{\"thought_signature\":"))
        .isEqualTo(sent.contains("\"thoughtSignature\""));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    WholeReply.Read read = Replays.read(one, TRANSLATION);
    if (one.name().equals(UNDECLARED) || one.expect().has("error_in_stream")) {
      assertThat(read).isInstanceOf(WholeReply.Read.ErrorObject.class);
      return;
    }
    Replays.Written written = Replays.written(one, read);
    assertThat(written.json().path("object").asText()).isEqualTo("chat.completion");
    Replays.assertChoice(one, written.choice());
    JsonNode images = written.choice().path("message").path("images");
    assertThat(images).hasSameSizeAs(one.expectedChoice().path("inline_data"));
    for (JsonNode image : images) {
      assertThat(image.path("image_url").path("url").asText()).startsWith("data:image/");
    }
    assertUsage(one, written.usage(), written.cost(), written.json().path("usage"));
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(bytes(one), cut, Samples.stamp(), WireExpectation.prices(one), DIALECT);
  }

  private static void assertSameJson(String arguments, JsonNode expected) {
    assertThat(ClientView.tree(arguments)).isEqualTo(ClientView.tree(expected.asText()));
  }

  private static void assertUsage(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
    WireExpectation.assertCharge(one, charged, cost, shown);
    JsonNode expected = one.expect().path("usage");
    assertThat(charged.reasoningTokens()).isEqualTo(expected.path("reasoning_tokens").longValue());
  }
}
