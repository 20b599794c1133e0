package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.openai.core.ObjectMappers;
import com.openai.errors.OpenAIException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletionChunk;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Defects of a stream of chunks for the official SDKs, by the names of {@code sdk-acceptance.json}:
 * every trait for which one of them throws or loses data.
 */
final class StreamTraits {
  private static final Set<String> FINISHES =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");

  private final List<String> found = new ArrayList<>();
  private final Set<Integer> calls = new HashSet<>();
  private boolean role;
  private boolean finish;
  private boolean usage;

  private StreamTraits() {}

  /**
   * Returns the rejected traits; empty if there are none.
   *
   * @param whole whether the stream ended well; a broken one may lack its finish
   */
  static List<String> rejected(List<JsonNode> chunks, boolean whole) {
    var traits = new StreamTraits();
    chunks.forEach(traits::chunk);
    if (whole) {
      traits.require(traits.finish, "no-finish-at-all");
      traits.require(traits.usage, "no-usage-chunk");
    }
    return traits.found;
  }

  /**
   * Returns the first defect of a whole stream for the Java SDK with strict validation, or empty.
   */
  static List<String> refusedBySdk(List<JsonNode> chunks) {
    var traits = new StreamTraits();
    traits.accumulate(chunks);
    return traits.found;
  }

  private void require(boolean rule, String trait) {
    if (!rule) {
      found.add(trait);
    }
  }

  private void chunk(JsonNode chunk) {
    require(!chunk.has("error"), "error-null-top-level");
    require(!chunk.path("id").asText("").isEmpty(), "no-id");
    require(chunk.path("object").asText().equals("chat.completion.chunk"), "no-object");
    require(chunk.path("created").isIntegralNumber(), "no-created");
    require(!chunk.path("model").asText("").isEmpty(), "no-model");
    require(chunk.path("choices").isArray(), "no-choices");
    boolean isUsage = chunk.path("usage").isObject();
    require(isUsage || !chunk.path("choices").isEmpty(), "first-chunk-empty-choices");
    chunk.path("choices").forEach(this::choice);
    if (isUsage) {
      usage = true;
      require(chunk.path("choices").isEmpty(), "usage-on-finish-chunk");
      require(chunk.path("usage").path("total_tokens").isIntegralNumber(), "usage-no-total");
    }
  }

  private void choice(JsonNode choice) {
    JsonNode delta = choice.path("delta");
    require(choice.path("index").isIntegralNumber(), "no-index");
    require(delta.isObject(), "no-delta-on-last");
    role |= delta.path("role").isTextual();
    require(role, "no-role");
    if (choice.path("finish_reason").isTextual()) {
      finish = true;
      require(FINISHES.contains(choice.path("finish_reason").asText()), "unknown-finish");
    }
    for (JsonNode call : delta.path("tool_calls")) {
      require(call.path("index").isIntegralNumber(), "tool-no-index");
      if (calls.add(call.path("index").asInt())) {
        require(call.path("type").isTextual(), "tool-no-type");
        require(!call.path("id").asText("").isEmpty(), "tool-no-id");
      }
    }
  }

  private void accumulate(List<JsonNode> chunks) {
    var accumulator = ChatCompletionAccumulator.create();
    try {
      for (JsonNode chunk : chunks) {
        var read = ObjectMappers.jsonMapper().treeToValue(chunk, ChatCompletionChunk.class);
        read.validate();
        accumulator.accumulate(read);
      }
      accumulator.chatCompletion().validate();
    } catch (JsonProcessingException | OpenAIException | IllegalStateException e) {
      found.add("the Java SDK: " + e.getMessage());
    }
  }
}
