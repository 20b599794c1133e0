package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.dialect.anthropic.AnthropicUsage;
import dev.tollgate.core.dialect.bedrock.BedrockUsage;
import dev.tollgate.core.dialect.cohere.CohereUsage;
import dev.tollgate.core.dialect.gemini.GeminiUsage;
import dev.tollgate.core.dialect.openai.OpenAiUsage;
import dev.tollgate.core.dialect.openai.ResponsesUsage;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.Usage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recorded usage of every provider other than OpenAI's chat, read in the provider's own terms: its
 * cost equals the recording's, to the micro-USD. OpenAI's chat is relayed by WireReplayTest.
 */
@Tag("corpus")
class WireUsageTest {
  private static final List<String> FAMILIES =
      List.of(
          "anthropic-messages",
          "bedrock-converse",
          "bedrock-invoke",
          "cohere-v2-chat",
          "gemini",
          "openai-completions",
          "openai-responses");

  private static final List<WireCase> PRICED =
      FAMILIES.stream().flatMap(family -> priced(family)).toList();

  static List<WireCase> priced() {
    return PRICED;
  }

  private static Stream<WireCase> priced(String family) {
    return WireCase.family(family).stream().filter(one -> one.expect().path("cost").isObject());
  }

  @Test
  void everyPricedRecordingIsCovered() {
    assertThat(priced()).hasSize(102);
    assertThat(priced("openai-chat")).hasSize(86);
    assertThat(priced()).filteredOn(WireCase::isStream).hasSizeGreaterThan(50);
  }

  @ParameterizedTest
  @MethodSource("priced")
  void recordedUsageCostsWhatTheRecordingExpects(WireCase one) {
    Usage usage = read(one, one.expect().path("usage_native"));
    JsonNode expected = one.expect().path("usage");
    assertThat(usage.promptTokens()).isEqualTo(expected.path("prompt_tokens").longValue());
    assertThat(usage.completionTokens()).isEqualTo(expected.path("completion_tokens").longValue());
    assertThat(usage.cachedTokens()).isEqualTo(expected.path("cached_tokens").longValue());
    assertThat(usage.cacheWriteTokens()).isEqualTo(expected.path("cache_write_tokens").longValue());
    JsonNode cost = one.expect().path("cost");
    BigDecimal exact = new BigDecimal(cost.path("cost_micro_exact").textValue());
    long micro = exact.setScale(0, RoundingMode.HALF_UP).longValueExact();
    assertThat(Cost.ofTokens(usage, WirePrices.of(cost.path("litellm_key").textValue())).value())
        .isEqualTo(exact.signum() == 0 ? 0 : Math.max(1, micro));
  }

  /**
   * Reads the usage from the recorded bytes, if these are text: the last value of a count applies.
   */
  @ParameterizedTest
  @MethodSource("priced")
  void theBytesHoldTheUsageThatTheRecordingNames(WireCase one) {
    List<JsonNode> documents = documents(new String(one.response(), StandardCharsets.UTF_8));
    ObjectNode merged = ClientView.tree("{}").deepCopy();
    boolean last = one.meta().path("family").asText().equals("gemini");
    for (JsonNode document : documents) {
      for (JsonNode found : found(document)) {
        if (last) {
          merged.removeAll();
        }
        found.properties().stream()
            .filter(member -> !member.getValue().isNull())
            .forEach(member -> merged.set(member.getKey(), member.getValue()));
      }
    }
    boolean isText = !documents.isEmpty() || !one.provider().equals("bedrock");
    if (isText) {
      assertThat(read(one, merged)).isEqualTo(read(one, one.expect().path("usage_native")));
    }
  }

  private static List<JsonNode> documents(String body) {
    String text = body.strip();
    if (text.startsWith("{") || text.startsWith("[")) {
      return List.of(ClientView.tree(text));
    }
    List<JsonNode> events = new ArrayList<>();
    for (String line : text.split("\r?\n", -1)) {
      String event = line.startsWith("data:") ? line.substring(5).strip() : "";
      if (event.startsWith("{")) {
        events.add(ClientView.tree(event));
      }
    }
    return events;
  }

  private static List<JsonNode> found(JsonNode document) {
    List<JsonNode> found = new ArrayList<>();
    for (String name : Set.of("usage", "usageMetadata")) {
      document.findValues(name).stream().filter(JsonNode::isObject).forEach(found::add);
    }
    return found;
  }

  private static Usage read(WireCase one, JsonNode usage) {
    byte[] json = usage.toString().getBytes(StandardCharsets.UTF_8);
    try {
      return terms(one, usage).read(JsonMembers.of(json, 0, json.length), 0).orElseThrow();
    } catch (InvalidJson e) {
      throw new AssertionError(e);
    }
  }

  private static UsageFormat terms(WireCase one, JsonNode usage) {
    String family = one.meta().path("family").asText();
    return switch (family) {
      case "anthropic-messages" -> AnthropicUsage.FORMAT;
      case "bedrock-converse" -> BedrockUsage.FORMAT;
      // In the terms of the model: Amazon's or Anthropic's.
      case "bedrock-invoke" ->
          usage.has("inputTokens") ? BedrockUsage.FORMAT : AnthropicUsage.FORMAT;
      case "cohere-v2-chat" -> CohereUsage.FORMAT;
      case "gemini" -> GeminiUsage.FORMAT;
      case "openai-completions" -> OpenAiUsage.FORMAT;
      case "openai-responses" -> ResponsesUsage.FORMAT;
      default -> throw new AssertionError(family);
    };
  }
}
