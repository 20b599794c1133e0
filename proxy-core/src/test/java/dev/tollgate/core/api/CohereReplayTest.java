package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.testkit.ReplayTable;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of Cohere's recorded chats as chat completions, and of its vectors. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class CohereReplayTest {
  private static final Dialect DIALECT = Dialects.named("cohere");

  static List<WireCase> streams() {
    return WireCase.family("cohere-v2-chat").stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return WireCase.family("cohere-v2-chat").stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(7);
    assertThat(replies()).hasSize(3);
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return Replays.relayed(one, cut, DIALECT);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    JsonNode expected = one.expectedChoice();
    if (expected.path("finish").asText().equals("error")) {
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      byte[] error = relayed.error();
      var failure = DIALECT.failureInside(error, 0, error.length);
      assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
      assertThat(failure.message()).startsWith("your request resulted in an invalid tool");
      assertThat(failure.providerCode()).isEqualTo("INVALID_TOOL_GENERATION");
      return;
    }
    assertThat(relayed.isComplete()).isTrue();
    assertThat(view.text()).isEqualTo(expected.path("text").asText());
    String thought = expected.has("tool_plan") ? "tool_plan" : "reasoning";
    assertThat(view.reasoning()).isEqualTo(expected.path(thought).asText(""));
    assertThat(view.finish()).isEqualTo(WireExpectation.finish(one));
    assertThat(view.calls()).hasSameSizeAs(expected.path("tool_calls"));
    for (int i = 0; i < view.calls().size(); i++) {
      JsonNode call = expected.path("tool_calls").get(i);
      String arguments = call.path("arguments").asText();
      assertThat(view.calls().get(i).id).isEqualTo(call.path("id").asText());
      assertThat(view.calls().get(i).name).isEqualTo(call.path("name").asText());
      assertThat(view.calls().get(i).arguments).hasToString(arguments.isEmpty() ? "{}" : arguments);
    }
    WireExpectation.assertCharge(
        one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    Replays.Written written = Replays.written(one, DIALECT.translation().orElseThrow());
    Replays.assertChoice(one, written.choice());
    JsonNode calls = written.choice().path("message").path("tool_calls");
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).path("function").path("arguments"))
          .isEqualTo(one.expectedChoice().path("tool_calls").get(i).path("arguments"));
    }
    WireExpectation.assertCharge(
        one, written.usage(), written.cost(), written.json().path("usage"));
  }

  @Test
  void itsVectorsAreListedAsOpenAiDoes() {
    WireCase one =
        WireCase.family("other").stream()
            .filter(other -> other.name().startsWith("cohere/embed--"))
            .findFirst()
            .orElseThrow();
    Replays.Written written = Replays.vectors(one, DIALECT);
    assertThat(written.usage().promptTokens()).isEqualTo(7);
    JsonNode got = written.json();
    JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));
    assertThat(got.path("data")).hasSize(1);
    assertThat(got.path("data").path(0).path("index").asInt(-1)).isZero();
    assertThat(got.path("data").path(0).path("embedding"))
        .isEqualTo(sent.path("embeddings").path("float").path(0));
  }
}
