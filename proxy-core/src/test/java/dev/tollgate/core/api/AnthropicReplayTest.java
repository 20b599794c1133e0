package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatReply;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.ReplayTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded message of Anthropic's, wherever it is hosted, relayed as a chat completion. */
@Tag("corpus")
@ExtendWith(ReplayTable.class)
class AnthropicReplayTest {
  private static final Dialect DIALECT = Dialects.named("anthropic");
  private static final ChatTranslation TRANSLATION = DIALECT.translation().orElseThrow();
  private static final int RANDOM_SPLITS = 5;

  /** Of two messages in one stream, only the second is meant; the first was on its way by then. */
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
    String whole = relayed(one, Cut.WHOLE).text();
    assertThat(relayed(one, Cut.BYTES).text()).isEqualTo(whole);
    JsonNode sizes = one.meta().path("network_chunk_sizes");
    assertThat(relayed(one, Cut.recorded(sizes)).text()).isEqualTo(whole);
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      Cut cut = Cut.random(new Random(seed));
      assertThat(relayed(one, cut).text()).as("seed %s", seed).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    TranslatedReply translated = TRANSLATION.reply(one.response(), one.response().length);
    WholeReply.Read read = ChatReply.read(Samples.stamp(), translated.bytes(), translated.length());
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    MicroUsd cost = Cost.ofTokens(usage, WireExpectation.prices(one));
    JsonNode got = written(reply, usage, cost);
    JsonNode sent = ClientView.tree(new String(one.response(), StandardCharsets.UTF_8));
    assertThat(got.path("object").asText()).isEqualTo("chat.completion");
    assertThat(got.path("id")).isEqualTo(sent.path("id"));
    assertThat(got.path("choices")).hasSize(1);
    JsonNode choice = got.path("choices").path(0);
    assertThat(choice.path("finish_reason").asText()).isEqualTo(WireExpectation.finish(one));
    assertMessage(one, choice.path("message"));
    assertUsage(one, usage, cost, got.path("usage"));
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(
        one.response(), cut, Samples.stamp(), WireExpectation.prices(one), DIALECT);
  }

  private static JsonNode written(WholeReply reply, Usage usage, MicroUsd cost) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    return ClientView.tree(out.toString(StandardCharsets.UTF_8));
  }

  private static void assertMessage(WireCase one, JsonNode message) {
    JsonNode expected = one.expectedChoice();
    assertThat(message.path("role").asText()).isEqualTo("assistant");
    WireExpectation.assertText(message.path("content").asText(""), expected.path("text"));
    if (expected.has("reasoning")) {
      WireExpectation.assertText(
          message.path("reasoning_content").asText(), expected.path("reasoning"));
      assertThat(message.path("reasoning_details").path(0).path("signature").asText()).isNotEmpty();
    }
    JsonNode calls = expected.path("tool_calls");
    assertThat(message.path("tool_calls")).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = message.path("tool_calls").path(i);
      assertThat(call.path("id")).isEqualTo(calls.get(i).path("id"));
      assertThat(call.path("function").path("name")).isEqualTo(calls.get(i).path("name"));
      assertThat(ClientView.tree(call.path("function").path("arguments").asText()))
          .isEqualTo(ClientView.tree(calls.get(i).path("arguments").asText()));
    }
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
