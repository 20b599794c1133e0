package dev.tollgate.core.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checker of a stream's chunks: the traits that official SDKs reject, by the names of {@code
 * sdk-acceptance.json}, and the gateway's own stricter rules.
 */
public final class AcceptedChunks {
  private static final Set<String> FINISHES =
      Set.of("stop", "length", "tool_calls", "content_filter", "function_call");

  private final List<JsonNode> chunks;
  private final List<String> found = new ArrayList<>();
  private final Set<Integer> callsSeen = new HashSet<>();
  private boolean roleSeen;
  private boolean finishSeen;

  private AcceptedChunks(List<JsonNode> chunks) {
    this.chunks = chunks;
  }

  /** Returns the traits of a stream for which at least one SDK throws or loses content. */
  static List<String> rejected(List<JsonNode> chunks, boolean complete) {
    AcceptedChunks check = new AcceptedChunks(chunks);
    chunks.forEach(check::chunk);
    if (complete) {
      check.require(check.finishSeen, "no-finish-at-all");
    }
    return check.found;
  }

  /** Returns the violations of the gateway's own rules, rejected by an SDK or not. */
  public static List<String> unruly(List<JsonNode> chunks, boolean complete) {
    AcceptedChunks check = new AcceptedChunks(chunks);
    check.house();
    if (complete) {
      check.ending();
    }
    List<String> all = new ArrayList<>(rejected(chunks, complete));
    all.addAll(check.found);
    return all;
  }

  private void require(boolean rule, String trait) {
    if (!rule) {
      found.add(trait);
    }
  }

  private void chunk(JsonNode chunk) {
    if (chunk.path("error").isObject()) {
      found.add("error");
      return;
    }
    require(!chunk.has("error"), "error-null-top-level");
    require(chunk.path("id").isTextual(), "no-id");
    require(chunk.path("object").asText().equals("chat.completion.chunk"), "no-object");
    require(chunk.path("created").isIntegralNumber(), "no-created");
    require(chunk.path("model").isTextual(), "no-model");
    require(chunk.path("choices").isArray(), "no-choices");
    chunk.path("choices").forEach(this::choice);
    JsonNode usage = chunk.path("usage");
    if (usage.isObject()) {
      require(chunk.path("choices").isEmpty(), "usage-on-finish-chunk");
      require(usage.path("total_tokens").isIntegralNumber(), "usage-no-total");
      require(usage.path("prompt_tokens").isIntegralNumber(), "usage-no-prompt");
      require(usage.path("completion_tokens").isIntegralNumber(), "usage-no-completion");
    }
  }

  private void choice(JsonNode choice) {
    require(choice.path("index").isIntegralNumber(), "no-index");
    require(choice.path("delta").isObject(), "no-delta-on-last");
    JsonNode delta = choice.path("delta");
    require(roleSeen || delta.path("role").asText().equals("assistant"), "no-role");
    roleSeen = true;
    JsonNode finish = choice.path("finish_reason");
    if (finish.isTextual()) {
      finishSeen = true;
      require(FINISHES.contains(finish.textValue()), "unknown-finish");
    } else {
      require(finish.isNull() || finish.isMissingNode(), "no-finish-text");
    }
    delta.path("tool_calls").forEach(this::call);
  }

  private void call(JsonNode call) {
    if (!call.path("index").isIntegralNumber()) {
      found.add("tool-no-index");
      return;
    }
    if (callsSeen.add(call.get("index").intValue())) {
      require(!call.path("type").asText("").isEmpty(), "tool-no-type");
      require(call.path("id").isTextual(), "tool-no-id");
    }
  }

  private void house() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < chunks.size(); i++) {
      JsonNode chunk = chunks.get(i);
      if (chunk.path("error").isObject()) {
        continue;
      }
      ids.add(chunk.path("id").asText());
      require(!chunk.path("id").asText().isEmpty(), "empty-id");
      require(chunk.path("model").asText().equals(Samples.MODEL.toString()), "not-our-model");
      require(chunk.path("provider").asText().equals("acme-eu"), "not-our-provider");
      require(!chunk.has("obfuscation") && !chunk.has("p"), "padding");
      boolean last = chunk.path("usage").isObject();
      require(last == chunk.path("choices").isEmpty(), "empty-choices");
      require(last || !chunk.has("usage"), "usage-before-the-end");
      require(!last || i == chunks.size() - 1, "usage-not-last");
      chunk.path("choices").forEach(this::houseChoice);
    }
    require(ids.size() <= 1, "id-changes");
    if (!chunks.isEmpty() && chunks.getFirst().path("choices").isArray()) {
      first(chunks.getFirst().path("choices").path(0));
    }
  }

  private void houseChoice(JsonNode choice) {
    require(choice.path("index").asInt(-1) == 0, "another-choice");
    require(choice.has("finish_reason"), "no-finish-key");
  }

  private void first(JsonNode choice) {
    JsonNode delta = choice.path("delta");
    require(delta.path("content").isTextual(), "first-without-content");
    require(delta.path("content").asText("-").isEmpty(), "first-with-content");
  }

  private void ending() {
    if (chunks.isEmpty()) {
      found.add("nothing");
      return;
    }
    JsonNode usage = chunks.getLast().path("usage");
    require(usage.isObject(), "no-usage-chunk");
    require(usage.path("x_llm_cost_micro").isIntegralNumber(), "usage-without-cost");
  }
}
