package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.completion.CompletionReply;
import dev.tollgate.core.api.completion.CompletionStream;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded text completions of OpenAI-compatible providers. */
@Tag("corpus")
class WireCompletionsTest {
  private static final int RANDOM_SPLITS = 5;

  static List<WireCase> streams() {
    return WireCase.family("openai-completions").stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return WireCase.family("openai-completions").stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(3);
    assertThat(replies()).hasSize(4);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    RelayedStream whole = relayed(one, Cut.WHOLE);
    assertThat(whole.isComplete()).isTrue();
    List<JsonNode> chunks = whole.view().chunks();
    String text =
        chunks.stream()
            .map(chunk -> chunk.at("/choices/0/text").asText())
            .collect(Collectors.joining());
    assertText(text, one.expectedChoice().path("text"));
    JsonNode last = chunks.get(chunks.size() - 2).at("/choices/0/finish_reason");
    assertThat(last.asText()).isEqualTo(one.expectedChoice().path("finish").asText());
    assertThat(chunks).allMatch(chunk -> chunk.path("object").asText().equals("text_completion"));
    assertThat(chunks).allMatch(chunk -> chunk.path("model").asText().equals("acme/m1"));
    assertThat(chunks.getLast().path("choices")).isEmpty();
    assertThat(chunks.getLast().at("/usage/x_llm_usage_estimated").asBoolean())
        .isEqualTo(!one.expect().path("usage").isObject());

    assertThat(relayed(one, Cut.BYTES).text()).isEqualTo(whole.text());
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      assertThat(relayed(one, Cut.random(new Random(seed))).text()).isEqualTo(whole.text());
    }
  }

  private static RelayedStream relayed(WireCase one, Cut cut) {
    return RelayedStream.of(
        one.response(),
        cut,
        new CompletionStream(Samples.stamp().named("cmpl-"), 1),
        Samples.PRICES,
        Dialects.named("openai"));
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    var read = CompletionReply.read(Samples.stamp(), one.response(), one.response().length);
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    MicroUsd cost = Cost.ofTokens(usage, prices(one));
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    JsonNode got = ClientView.tree(out.toString(UTF_8));
    JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));

    assertThat(LosslessRelayCheck.kept(sent, got)).isEmpty();
    assertText(got.at("/choices/0/text").asText(), one.expectedChoice().path("text"));
    assertThat(got.at("/choices/0/finish_reason").asText())
        .isEqualTo(one.expectedChoice().path("finish").asText());
    assertThat(got.path("object").asText()).isEqualTo("text_completion");
    assertThat(usage.promptTokens()).isEqualTo(one.expect().at("/usage/prompt_tokens").longValue());
    assertThat(usage.completionTokens())
        .isEqualTo(one.expect().at("/usage/completion_tokens").longValue());
    JsonNode exact = one.expect().at("/cost/cost_micro_exact");
    if (exact.isTextual()) {
      BigDecimal rounded = new BigDecimal(exact.textValue()).setScale(0, RoundingMode.HALF_UP);
      assertThat(cost.value()).isEqualTo(rounded.longValueExact());
    }
  }

  private static PriceList prices(WireCase one) {
    JsonNode cost = one.expect().path("cost");
    return cost.isObject() ? WirePrices.of(cost.path("litellm_key").textValue()) : Samples.PRICES;
  }

  private static void assertText(String text, JsonNode expected) {
    if (expected.isObject()) {
      assertThat(text).startsWith(expected.path("head").asText());
      assertThat(text).endsWith(expected.path("tail").asText());
      assertThat(text).hasSize(expected.path("chars").intValue());
    } else {
      assertThat(text).isEqualTo(expected.asText());
    }
  }
}
