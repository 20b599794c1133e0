package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What Anthropic's Messages API is documented to refuse of a conversation and its tools, beyond its
 * schema.
 */
final class MessagesRefusals {
  private final List<String> found = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  private MessagesRefusals() {}

  static List<String> of(JsonNode body, String model) {
    var refusals = new MessagesRefusals();
    refusals.tools(body);
    refusals.thinking(body);
    refusals.messages(body.path("messages"));
    boolean thinks = !body.path("thinking").path("type").asText("disabled").equals("disabled");
    refusals.prefill(body.path("messages"), model, thinks);
    return refusals.found;
  }

  private void tools(JsonNode body) {
    Set<String> names = new HashSet<>();
    for (JsonNode tool : body.path("tools")) {
      if (!names.add(tool.path("name").asText())) {
        found.add("tools: Tool names must be unique.");
      }
      for (String keyword : new String[] {"oneOf", "allOf", "anyOf"}) {
        if (tool.path("input_schema").has(keyword)) {
          found.add("input_schema does not support oneOf, allOf, or anyOf at the top level");
        }
      }
      if (tool.path("strict").asBoolean()) {
        found.addAll(SchemaRefusals.ofClaude(tool.path("input_schema")));
      }
    }
    found.addAll(SchemaRefusals.ofClaude(body.path("output_config").path("format").path("schema")));
    JsonNode choice = body.path("tool_choice");
    if (choice.path("type").asText().equals("tool")
        && !names.contains(choice.path("name").asText())) {
      found.add("Tool '" + choice.path("name").asText() + "' not found in provided tools");
    }
  }

  private void thinking(JsonNode body) {
    if (body.path("thinking").path("budget_tokens").asLong() >= body.path("max_tokens").asLong()) {
      found.add("`max_tokens` must be greater than `thinking.budget_tokens`");
    }
  }

  private void messages(JsonNode messages) {
    if (!messages.path(0).path("role").asText().equals("user")) {
      found.add("messages: first message must use the \"user\" role");
    }
    Set<String> asked = Set.of();
    for (JsonNode message : messages) {
      boolean isUser = message.path("role").asText().equals("user");
      if (isUser) {
        results(message, asked);
      } else if (!asked.isEmpty()) {
        found.add("tool_use ids were found without tool_result blocks immediately after: " + asked);
      }
      asked = isUser ? Set.of() : calls(message);
    }
    if (!asked.isEmpty()) {
      found.add("tool_use ids were found without tool_result blocks immediately after: " + asked);
    }
    JsonNode last = messages.path(messages.size() - 1);
    JsonNode block = last.path("content").path(last.path("content").size() - 1);
    if (last.path("role").asText().equals("assistant")) {
      end(block);
    }
  }

  private void prefill(JsonNode messages, String model, boolean thinks) {
    boolean isTaken = model.contains("-4-5") && !thinks;
    JsonNode last = messages.path(messages.size() - 1);
    if (last.path("role").asText().equals("assistant") && !isTaken) {
      found.add("This model does not support assistant message prefill.");
    }
  }

  private void end(JsonNode block) {
    String text = block.path("text").asText();
    if (!text.isEmpty() && Character.isWhitespace(text.charAt(text.length() - 1))) {
      found.add("final assistant content cannot end with trailing whitespace");
    }
    if (block.path("type").asText().endsWith("thinking")) {
      found.add("The final block in an assistant message cannot be `thinking`.");
    }
  }

  private Set<String> calls(JsonNode message) {
    Set<String> asked = new HashSet<>();
    for (JsonNode block : message.path("content")) {
      if (block.path("type").asText().equals("tool_use")) {
        String id = block.path("id").asText();
        asked.add(id);
        if (!ids.add(id)) {
          found.add("`tool_use` ids must be unique: " + id);
        }
      }
    }
    return asked;
  }

  private void results(JsonNode message, Set<String> asked) {
    Set<String> missing = new HashSet<>(asked);
    boolean isBehindOther = false;
    for (JsonNode block : message.path("content")) {
      if (!block.path("type").asText().equals("tool_result")) {
        isBehindOther = true;
        continue;
      }
      if (!missing.remove(block.path("tool_use_id").asText())) {
        found.add("unexpected `tool_use_id` found in `tool_result` blocks: " + block);
      } else if (isBehindOther) {
        found.add("tool_result blocks must come first: " + block);
      }
    }
    if (!missing.isEmpty()) {
      found.add("tool_use ids were found without tool_result blocks immediately after: " + missing);
    }
  }
}
