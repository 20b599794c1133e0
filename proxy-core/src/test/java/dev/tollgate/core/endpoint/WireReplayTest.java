package dev.tollgate.core.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.endpoint.Relayed.Cut;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded chat of every OpenAI-compatible provider, relayed as if it came now. */
@Tag("corpus")
class WireReplayTest {
  private static final int RANDOM_SPLITS = 5;

  // The corpus forgot the 1,217 tokens written to the cache: 3 × 5 + 1217 × 6.25 + 100 × 30.
  private static final Map<String, String> PRICED_BY_HAND =
      Map.of("openai/chat-reasoning-tokens--gpt-5-6-sol", "10621.25");

  static List<WireCase> chats() {
    return WireCase.family("openai-chat");
  }

  static List<WireCase> streams() {
    return chats().stream().filter(WireCase::isStream).toList();
  }

  static List<WireCase> replies() {
    return chats().stream().filter(one -> !one.isStream()).toList();
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSize(84);
    assertThat(replies()).hasSize(57);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutAsTheRecordingSaysItShould(WireCase one) {
    Relayed relayed = Relayed.of(one.response(), Cut.WHOLE, Samples.stamp(), prices(one));
    ClientView view = relayed.view();
    assertThat(AcceptedChunks.unruly(view.chunks(), relayed.isComplete())).isEmpty();
    if (one.expect().has("error_in_stream")) {
      assertThat(relayed.endStep()).contains(ReplyStream.Step.ERROR);
      assertMessage(one, relayed.error());
      return;
    }
    if (one.expect().isMissingNode() || one.expect().isNull()) {
      assertThat(relayed.isComplete()).isFalse();
      return;
    }
    assertThat(relayed.isComplete()).isTrue();
    assertChoice(one, view);
    assertUsage(one, relayed.charged(), relayed.cost(prices(one)), view.usage());
    NothingLost.inStream(sent(one.response()), view.chunks());
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamComesOutTheSameHoweverItIsCut(WireCase one) {
    String whole = Relayed.of(one.response(), Cut.WHOLE).text();
    assertThat(Relayed.of(one.response(), Cut.BYTES).text()).isEqualTo(whole);
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      Cut cut = Cut.random(new Random(seed));
      assertThat(Relayed.of(one.response(), cut).text()).as("seed %s", seed).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("replies")
  void aReplyComesOutAsTheRecordingSaysItShould(WireCase one) {
    WholeReply.Read read = ChatReply.read(Samples.stamp(), one.response(), one.response().length);
    if (one.expect().has("error_in_stream")) {
      assertThat(read).isInstanceOf(WholeReply.Read.ErrorObject.class);
      assertMessage(one, one.response());
      return;
    }
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    MicroUsd cost = Cost.ofTokens(usage, prices(one));
    JsonNode got = written(reply, usage, cost);
    JsonNode sent = ClientView.tree(new String(one.response(), StandardCharsets.UTF_8));
    assertThat(got.path("object").asText()).isEqualTo("chat.completion");
    assertThat(got.path("model").asText()).isEqualTo("acme/m1");
    assertThat(got.path("provider").asText()).isEqualTo("acme-eu");
    assertThat(got.path("id").asText()).isNotEmpty();
    assertThat(got.path("created").isIntegralNumber()).isTrue();
    assertThat(got.has("error")).isFalse();
    assertThat(NothingLost.kept(sent, got)).isEmpty();
    assertThat(got.path("choices")).hasSameSizeAs(sent.path("choices"));
    JsonNode finish = one.expectedChoice().path("finish");
    assertThat(got.path("choices").path(0).path("finish_reason").asText())
        .isEqualTo(finish.isTextual() ? finish.textValue() : "stop");
    assertUsage(one, usage, cost, got.path("usage"));
  }

  private static JsonNode written(WholeReply reply, Usage usage, MicroUsd cost) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    return ClientView.tree(out.toString(StandardCharsets.UTF_8));
  }

  private static PriceList prices(WireCase one) {
    JsonNode cost = one.expect().path("cost");
    return cost.isObject() ? WirePrices.of(cost.path("litellm_key").textValue()) : Samples.PRICES;
  }

  private static void assertChoice(WireCase one, ClientView view) {
    JsonNode expected = one.expectedChoice();
    assertText(view.text(), expected.path("text"));
    if (expected.has("reasoning")) {
      assertText(view.reasoning(), expected.path("reasoning"));
    }
    if (expected.has("refusal")) {
      assertText(view.refusal(), expected.path("refusal"));
    }
    JsonNode finish = expected.path("finish");
    assertThat(view.finish()).isEqualTo(finish.isTextual() ? finish.textValue() : "stop");
    JsonNode calls = expected.path("tool_calls");
    assertThat(view.calls()).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      ClientView.Call call = view.calls().get(i);
      assertThat(call.name).isEqualTo(calls.get(i).path("name").asText());
      assertThat(call.arguments).hasToString(calls.get(i).path("arguments").asText(""));
      assertThat(call.id).isEqualTo(calls.get(i).path("id").asText());
      assertThat(call.type).isNotEmpty();
    }
  }

  /** A text as it is, or by its length and digest. */
  private static void assertText(String text, JsonNode expected) {
    if (!expected.isObject()) {
      assertThat(text).isEqualTo(expected.asText(""));
      return;
    }
    assertThat(text).startsWith(expected.path("head").asText());
    assertThat(text).endsWith(expected.path("tail").asText());
    assertThat(sha256(text)).isEqualTo(expected.path("sha256_utf8").asText());
  }

  private static String sha256(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertUsage(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
    JsonNode expected = one.expect().path("usage");
    if (!expected.isObject()) {
      assertThat(charged.estimated()).isTrue();
      assertThat(shown.path("x_llm_usage_estimated").booleanValue()).isTrue();
      return;
    }
    assertThat(charged.estimated()).isFalse();
    assertThat(charged.promptTokens()).isEqualTo(expected.path("prompt_tokens").longValue());
    assertThat(charged.completionTokens())
        .isEqualTo(expected.path("completion_tokens").longValue());
    assertThat(charged.cachedTokens())
        .isEqualTo(Math.min(expected.path("cached_tokens").longValue(), charged.promptTokens()));
    assertThat(charged.reasoningTokens()).isEqualTo(expected.path("reasoning_tokens").longValue());
    one.expect()
        .path("usage_native")
        .properties()
        .forEach(
            member ->
                assertThat(shown.get(member.getKey()))
                    .as(member.getKey())
                    .isEqualTo(member.getValue()));
    assertThat(shown.path("x_llm_cost_micro").longValue()).isEqualTo(cost.value());
    assertThat(shown.has("x_llm_usage_estimated")).isFalse();
    JsonNode exact = one.expect().path("cost").path("cost_micro_exact");
    if (exact.isTextual()) {
      String micro = PRICED_BY_HAND.getOrDefault(one.name(), exact.textValue());
      BigDecimal rounded = new BigDecimal(micro).setScale(0, RoundingMode.HALF_UP);
      assertThat(cost.value()).isEqualTo(rounded.longValueExact());
    }
  }

  private static void assertMessage(WireCase one, byte[] error) {
    assertThat(Dialect.named("openai").failureInside(error, 0, error.length).message())
        .isEqualTo(one.expect().path("error_in_stream").path("message").asText());
  }

  /** The chunks of a recording. */
  private static List<JsonNode> sent(byte[] stream) {
    List<JsonNode> chunks = new ArrayList<>();
    SseDecoder decoder =
        new SseDecoder(
            new SseSink() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                String text = new String(data, from, to - from, StandardCharsets.UTF_8);
                if (!text.equals("[DONE]")) {
                  chunks.add(ClientView.tree(text));
                }
              }

              @Override
              public void comment() {}

              @Override
              public void oversized(int eventBytesMax) {}
            },
            1 << 24);
    decoder.feed(Unpooled.wrappedBuffer(stream));
    decoder.finish();
    return chunks;
  }
}
