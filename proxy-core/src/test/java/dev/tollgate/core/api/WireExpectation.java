package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Usage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** Comparison of a client's result with the expectation in a recording. */
final class WireExpectation {
  // The corpus omits the 1,217 tokens written to the cache: 3 × 5 + 1217 × 6.25 + 100 × 30.
  private static final Map<String, String> PRICED_BY_HAND =
      Map.of("openai/chat-reasoning-tokens--gpt-5-6-sol", "10621.25");

  private WireExpectation() {}

  static PriceList prices(WireCase one) {
    JsonNode cost = one.expect().path("cost");
    return cost.isObject() ? WirePrices.of(cost.path("litellm_key").textValue()) : Samples.PRICES;
  }

  static void assertChoice(WireCase one, ClientView view) {
    JsonNode expected = one.expectedChoice();
    assertText(view.text(), expected.path("text"));
    if (expected.has("reasoning")) {
      assertText(view.reasoning(), expected.path("reasoning"));
    }
    if (expected.has("refusal")) {
      assertText(view.refusal(), expected.path("refusal"));
    }
    assertThat(view.finish()).isEqualTo(finish(one));
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

  static String finish(WireCase one) {
    JsonNode finish = one.expectedChoice().path("finish");
    return finish.isTextual() ? finish.textValue() : "stop";
  }

  /** Compares a text with the expected one, or with its length and digest. */
  static void assertText(String text, JsonNode expected) {
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

  /** Checks the charge and the usage shown, in OpenAI's terms. */
  static void assertCharge(WireCase one, Usage charged, MicroUsd cost, JsonNode shown) {
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
    assertThat(shown.path("x_llm_cost_micro").longValue()).isEqualTo(cost.value());
    assertThat(shown.has("x_llm_usage_estimated")).isFalse();
    JsonNode exact = one.expect().path("cost").path("cost_micro_exact");
    if (exact.isTextual()) {
      String micro = PRICED_BY_HAND.getOrDefault(one.name(), exact.textValue());
      BigDecimal rounded = new BigDecimal(micro).setScale(0, RoundingMode.HALF_UP);
      assertThat(cost.value()).isEqualTo(rounded.longValueExact());
    }
  }
}
