package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What providers whose messages are like OpenAI's are documented to refuse of a conversation and
 * its tools: OpenAI itself, Cohere and Ollama.
 */
final class ChatRefusals {
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]*={0,2}");

  private final List<String> found = new ArrayList<>();

  private ChatRefusals() {}

  /** Returns what OpenAI refuses. */
  static List<String> ofOpenAi(JsonNode body) {
    var refusals = new ChatRefusals();
    refusals.pairs(body.path("messages"), "");
    for (JsonNode message : body.path("messages")) {
      boolean isUser = message.path("role").asText().equals("user");
      if (!isUser && !message.path("content").findValues("image_url").isEmpty()) {
        refusals.found.add("Image URLs are only allowed for messages with role 'user'");
      }
    }
    return refusals.found;
  }

  /** Returns what Cohere refuses. */
  static List<String> ofCohere(JsonNode body) {
    var refusals = new ChatRefusals();
    refusals.pairs(body.path("messages"), "system");
    JsonNode format = body.path("response_format").path("json_schema");
    if (!format.isMissingNode()) {
      refusals.found.addAll(SchemaRefusals.ofCohere(format));
    }
    for (JsonNode tool : body.path("tools")) {
      JsonNode schema = tool.path("function").path("parameters");
      if (body.path("strict_tools").asBoolean()) {
        refusals.found.addAll(SchemaRefusals.ofCohere(schema));
      } else if (!schema.path("type").asText().equals("object")) {
        refusals.found.add("parameters are no object: " + schema);
      }
    }
    for (JsonNode message : body.path("messages")) {
      boolean isUser = message.path("role").asText().equals("user");
      if (isUser && isEmpty(message.path("content"))) {
        refusals.found.add("message must be at least 1 token long");
      }
      boolean isAssistant = message.path("role").asText().equals("assistant");
      if (isAssistant && !message.has("tool_calls") && isEmpty(message.path("content"))) {
        refusals.found.add("all elements in history must have a message");
      }
    }
    return refusals.found;
  }

  /** Returns what Ollama refuses, which reads requests into typed structures. */
  static List<String> ofOllama(JsonNode body) {
    var refusals = new ChatRefusals();
    for (JsonNode message : body.path("messages")) {
      for (JsonNode image : message.path("images")) {
        if (!BASE64.matcher(image.asText()).matches() || image.asText().isEmpty()) {
          refusals.found.add("illegal base64 data at input byte 0");
        }
      }
    }
    for (JsonNode tool : body.path("tools")) {
      JsonNode schema = tool.path("function").path("parameters");
      if (schema.has("type") && !schema.path("type").isTextual()) {
        refusals.found.add("cannot unmarshal into Go struct field .parameters.type of type string");
      }
      for (JsonNode property : schema.path("properties")) {
        if (!property.isObject()) {
          refusals.found.add("cannot unmarshal into Go value of type api.ToolProperty");
        }
      }
    }
    return refusals.found;
  }

  private static boolean isEmpty(JsonNode content) {
    if (!content.isArray()) {
      return content.asText().isEmpty();
    }
    for (JsonNode part : content) {
      if (!part.path("text").asText().isEmpty() || part.has("image_url")) {
        return false;
      }
    }
    return true;
  }

  private void pairs(JsonNode messages, String transparent) {
    Set<String> open = new HashSet<>();
    for (JsonNode message : messages) {
      String role = message.path("role").asText();
      if (role.equals(transparent)) {
        continue;
      }
      if (role.equals("tool")) {
        if (!open.remove(message.path("tool_call_id").asText())) {
          found.add("messages with role 'tool' must be a response to a preceding message");
        }
        continue;
      }
      unanswered(open);
      message.path("tool_calls").forEach(call -> open.add(call.path("id").asText()));
    }
    unanswered(open);
  }

  private void unanswered(Set<String> open) {
    if (!open.isEmpty()) {
      found.add("tool_call_ids did not have response messages: " + open);
      open.clear();
    }
  }
}
