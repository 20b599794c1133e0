package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.ReplayTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded Anthropic messages, of all hosts, as chat completions. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class AnthropicReplayTest {
  private static final Dialect DIALECT = Dialects.named("anthropic");
  private static final ChatTranslation TRANSLATION = DIALECT.translation().orElseThrow();

  /**
   * A stream with two messages, of which only the second is expected; the first was already sent.
   */
  private static final String SPLICED = "anthropic/stream-spliced-message-start--claude";

  static List<WireCase> messages() {
    return WireCase.family("anthropic-messages");
  }

  static List<WireCase> streams() {
    return messages().stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return messages().stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(26);
    assertThat(replies()).hasSize(15);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    RelayedStream relayed = relayed(one, Cut.WHOLE);
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    assertThat(relayed.chat().badEvents()).isZero();
    if (one.name().equals(SPLICED)) {
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      return;
    }
    if (one.expect().has("error_in_stream")) {
      assertThat(relayed.endStep()).contains(ReplyEventStream.Step.ERROR);
      byte[] error = relayed.error();
      var failure = DIALECT.failureInside(error, 0, error.length);
      assertThat(failure.message())
          .isEqualTo(one.expect().path("error_in_stream").path("message").asText());
      assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
      WireExpectation.assertText(view.reasoning(), one.expectedChoice().path("reasoning"));
      return;
    }
    if (!one.expect().isObject()) {
      assertThat(relayed.isComplete()).isFalse();
      return;
    }
    assertThat(relayed.endStep()).contains(ReplyEventStream.Step.DONE);
    assertThat(relayed.isComplete()).isTrue();
    WireExpectation.assertChoice(one, view);
    assertUsage(one, relayed.charged(), relayed.cost(WireExpectation.prices(one)), view.usage());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    Replays.assertSameForAllCuts(one, cut -> relayed(one, cut));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    Replays.Written written = Replays.written(one, TRANSLATION);
    JsonNode got = written.json();
    JsonNode sent = ClientView.tree(new String(one.response(), StandardCharsets.UTF_8));
    assertThat(got.path("object").asText()).isEqualTo("chat.completion");
    assertThat(got.path("id")).isEqualTo(sent.path("id"));
    assertThat(got.path("choices")).hasSize(1);
    Replays.assertChoice(one, written.choice());
    JsonNode message = written.choice().path("message");
    assertThat(message.path("role").asText()).isEqualTo("assistant");
    if (one.expectedChoice().has("reasoning")) {
      assertThat(message.path("reasoning_details").path(0).path("signature").asText()).isNotEmpty();
    }
    assertUsage(one, written.usage(), written.cost(), got.path("usage"));
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return Replays.relayed(one, cut, DIALECT);
  }

  private static void assertUsage(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
    WireExpectation.assertCharge(one, charged, cost, shown);
    JsonNode expected = one.expect().path("usage");
    JsonNode own = one.expect().path("usage_native");
    assertThat(charged.cacheWriteTokens())
        .isEqualTo(expected.path("cache_write_tokens").longValue());
    assertThat(charged.reasoningTokens())
        .isEqualTo(own.path("output_tokens_details").path("thinking_tokens").longValue());
    assertThat(shown.path("total_tokens")).isEqualTo(expected.path("total_tokens"));
    assertThat(shown.path("prompt_tokens_details").path("cached_tokens").longValue())
        .isEqualTo(expected.path("cached_tokens").longValue());
    own.properties()
        .forEach(
            member ->
                assertThat(shown.get(member.getKey()))
                    .as(member.getKey())
                    .isEqualTo(member.getValue()));
  }
}
