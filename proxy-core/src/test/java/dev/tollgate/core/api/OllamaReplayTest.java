package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.ReplayTable;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded chats of Ollama's own API as chat completions. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class OllamaReplayTest {
  private static final Dialect DIALECT = Dialects.named("ollama");
  private static final String TOOLS = "ollama/native-chat-tools--latest";

  /** A text completion, which has another endpoint. */
  private static final String GENERATED = "ollama/native-generate-stream--1b";

  /** A recording without counts, edited by hand. */
  private static final String UNCOUNTED = "ollama/thinking-body-only--nomodel";

  private static List<WireCase> all() {
    return WireCase.family("ollama-native");
  }

  static List<WireCase> streams() {
    return all().stream()
        .filter(one -> !one.name().equals(TOOLS) && !one.name().equals(GENERATED))
        .toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(all()).hasSize(5);
    assertThat(streams()).hasSize(3);
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(one.response(), cut, Samples.stamp(), Samples.PRICES, DIALECT);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    assertThat(relayed.endStep()).contains(ReplyEventStream.Step.DONE);
    WireExpectation.assertChoice(one, view);
    assertThat(relayed.charged().estimated()).isEqualTo(one.name().equals(UNCOUNTED));
    if (!one.name().equals(UNCOUNTED)) {
      WireExpectation.assertCharge(
          one, relayed.charged(), relayed.cost(Samples.PRICES), view.usage());
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @Test
  void aReplyThatCallsAToolComesOutAsTheRecordingSaysItShould() {
    WireCase one =
        all().stream().filter(each -> each.name().equals(TOOLS)).findFirst().orElseThrow();
    Replays.Written written = Replays.written(one, DIALECT.translation().orElseThrow());
    Usage usage = written.usage();
    JsonNode choice = written.choice();
    JsonNode expected = one.expectedChoice();
    assertThat(choice.path("finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(choice.path("message").path("reasoning_content"))
        .isEqualTo(expected.path("reasoning"));
    JsonNode call = choice.path("message").path("tool_calls").path(0);
    assertThat(call.path("id").asText()).isEqualTo("call_2k7ryu9k");
    assertThat(call.path("type").asText()).isEqualTo("function");
    assertThat(call.path("function").path("name").asText()).isEqualTo("add_two_numbers");
    assertThat(ClientView.tree(call.path("function").path("arguments").asText()))
        .isEqualTo(ClientView.tree("{\"a\":2,\"b\":3}"));
    assertThat(usage.promptTokens()).isEqualTo(310);
    assertThat(usage.completionTokens()).isEqualTo(145);
  }

  @Test
  void aStreamedCallWithoutAnIdGetsOneAndAnErrorIsOne() {
    String line =
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":["
            + "{\"function\":{\"name\":\"f\",\"arguments\":{\"x\": 1}}},"
            + "{\"function\":{\"name\":\"g\",\"arguments\":{}}}]},\"done\":false}\n";
    String last =
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"
            + "\"done_reason\":\"stop\",\"prompt_eval_count\":0,\"eval_count\":3}\n";
    RelayedStream relayed =
        RelayedStream.of(
            (line + last).getBytes(UTF_8), Cut.BYTES, Samples.stamp(), Samples.PRICES, DIALECT);
    ClientView view = relayed.view();
    assertThat(view.finish()).isEqualTo("tool_calls");
    assertThat(view.calls()).hasSize(2);
    assertThat(view.calls().get(0).id).isNotEmpty().isNotEqualTo(view.calls().get(1).id);
    assertThat(view.calls().get(0).arguments).hasToString("{\"x\": 1}");
    assertThat(relayed.charged().promptTokens()).isZero();
    assertThat(relayed.charged().completionTokens()).isEqualTo(3);
    String uncounted = last.replace("\"prompt_eval_count\":0,", "");
    RelayedStream estimated =
        RelayedStream.of(
            (line + uncounted).getBytes(UTF_8),
            Cut.BYTES,
            Samples.stamp(),
            Samples.PRICES,
            DIALECT);
    assertThat(estimated.charged().estimated()).as("no count is no zero").isTrue();

    String error = "{\"error\":\"model runner has unexpectedly stopped\"}\n";
    RelayedStream failed =
        RelayedStream.of(
            (line + error).getBytes(UTF_8), Cut.WHOLE, Samples.stamp(), Samples.PRICES, DIALECT);
    assertThat(failed.endStep()).contains(ReplyEventStream.Step.ERROR);
    var failure = DIALECT.failureInside(failed.error(), 0, failed.error().length);
    assertThat(failure.message()).isEqualTo("model runner has unexpectedly stopped");
    assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
  }
}
