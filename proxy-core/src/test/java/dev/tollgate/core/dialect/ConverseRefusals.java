package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What Bedrock's Converse API, or a model behind it, is documented to refuse of a conversation and
 * its tools, beyond its schema.
 */
final class ConverseRefusals {
  private final List<String> found = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final Set<String> documents = new HashSet<>();
  private final boolean isClaude;
  private final boolean isNova;

  private ConverseRefusals(String model) {
    this.isClaude = model.contains("claude");
    this.isNova = model.contains("nova");
  }

  static List<String> of(JsonNode body, String model) {
    var refusals = new ConverseRefusals(model);
    refusals.tools(body.path("toolConfig"));
    refusals.format(body.path("outputConfig"));
    refusals.messages(body);
    refusals.prefill(body);
    refusals.sampling(body.path("inferenceConfig"));
    return refusals.found;
  }

  private void tools(JsonNode config) {
    Set<String> names = new HashSet<>();
    for (JsonNode tool : config.path("tools")) {
      JsonNode spec = tool.path("toolSpec");
      if (!spec.isMissingNode() && !names.add(spec.path("name").asText())) {
        found.add("The tool name is already defined: " + spec.path("name"));
      }
      JsonNode schema = spec.path("inputSchema").path("json");
      if (isClaude && (schema.has("oneOf") || schema.has("allOf") || schema.has("anyOf"))) {
        found.add("input_schema does not support oneOf, allOf, or anyOf at the top level");
      }
      if (spec.path("strict").asBoolean()) {
        found.addAll(SchemaRefusals.ofClaude(schema));
      }
    }
    JsonNode chosen = config.path("toolChoice").path("tool").path("name");
    if (!chosen.isMissingNode() && !names.contains(chosen.asText())) {
      found.add("The tool that is chosen is not defined: " + chosen);
    }
  }

  private void format(JsonNode config) {
    JsonNode schema = config.findPath("schema");
    if (!schema.isMissingNode()) {
      found.addAll(SchemaRefusals.ofClaude(ClientView.tree(schema.asText())));
    }
  }

  private void prefill(JsonNode body) {
    JsonNode messages = body.path("messages");
    boolean isContinued =
        messages.path(messages.size() - 1).path("role").asText().equals("assistant");
    if (isClaude && isContinued && body.at("/additionalModelRequestFields/thinking").isObject()) {
      found.add("Prefilling is not supported with thinking");
    }
  }

  private void sampling(JsonNode config) {
    if (isClaude && config.has("temperature") && config.has("topP")) {
      found.add("`temperature` and `top_p` cannot both be specified for this model");
    }
  }

  private void messages(JsonNode body) {
    Set<String> asked = Set.of();
    String role = "assistant";
    for (JsonNode message : body.path("messages")) {
      if (message.path("role").asText().equals(role)) {
        found.add("A conversation must alternate between user and assistant roles.");
      }
      role = message.path("role").asText();
      results(message, asked);
      asked = calls(message);
      documents(message);
      if (!asked.isEmpty() && !body.has("toolConfig")) {
        found.add("The toolConfig field must be defined when using toolUse content blocks.");
      }
    }
    if (!asked.isEmpty()) {
      found.add("Expected toolResult blocks for the following Ids: " + asked);
    }
    JsonNode last = body.path("messages").path(body.path("messages").size() - 1);
    String text = last.path("content").path(last.path("content").size() - 1).path("text").asText();
    if (role.equals("assistant")
        && !text.isEmpty()
        && Character.isWhitespace(text.charAt(text.length() - 1))) {
      found.add("final assistant content cannot end with trailing whitespace");
    }
  }

  private Set<String> calls(JsonNode message) {
    Set<String> asked = new HashSet<>();
    for (JsonNode block : message.path("content")) {
      if (block.has("toolUse")) {
        String id = block.path("toolUse").path("toolUseId").asText();
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
    for (JsonNode block : message.path("content")) {
      JsonNode result = block.path("toolResult");
      if (result.isMissingNode()) {
        continue;
      }
      if (!missing.remove(result.path("toolUseId").asText())) {
        found.add("The number of toolResult blocks exceeds the number of toolUse blocks: " + block);
      }
      for (JsonNode inside : result.path("content")) {
        boolean isText = inside.has("text") || inside.has("json");
        if (!isText && !isClaude && !isNova) {
          found.add("This model doesn't support the field in a toolResult: " + inside);
        }
        name(inside.path("document"));
      }
    }
    if (!missing.isEmpty()) {
      found.add("Expected toolResult blocks for the following Ids: " + missing);
    }
  }

  private void documents(JsonNode message) {
    boolean hasDocument = false;
    boolean hasText = false;
    for (JsonNode block : message.path("content")) {
      hasDocument |= block.has("document");
      hasText |= block.has("text");
      name(block.path("document"));
    }
    if (hasDocument && !hasText) {
      found.add("A text block must be included when using documents.");
    }
  }

  private void name(JsonNode document) {
    if (!document.isMissingNode() && !documents.add(document.path("name").asText())) {
      found.add("Document names must be unique: " + document.path("name"));
    }
  }
}
