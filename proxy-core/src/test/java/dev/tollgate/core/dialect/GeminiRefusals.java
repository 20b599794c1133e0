package dev.tollgate.core.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What Gemini is documented to refuse of a conversation and its tools, beyond its schema. */
final class GeminiRefusals {
  private static final Pattern TAKEN =
      Pattern.compile(
          "image/(png|jpeg|webp|heic|heif)|application/(pdf|json)|(audio|video|text)/.+");

  private final List<String> found = new ArrayList<>();
  private final boolean isThird;

  private GeminiRefusals(String model) {
    this.isThird = !model.contains("gemini-2");
  }

  static List<String> of(JsonNode body, String model) {
    var refusals = new GeminiRefusals(model);
    refusals.tools(body);
    refusals.contents(body.path("contents"));
    body.findValues("mimeType").stream()
        .filter(type -> !TAKEN.matcher(type.asText()).matches())
        .forEachOrdered(type -> refusals.found.add("Unsupported MIME type: " + type));
    return refusals.found;
  }

  private void tools(JsonNode body) {
    Set<String> names = new HashSet<>();
    for (JsonNode declared : body.path("tools").path(0).path("functionDeclarations")) {
      if (!names.add(declared.path("name").asText())) {
        found.add("Duplicate function declaration found: " + declared.path("name"));
      }
      JsonNode schema = declared.path("parametersJsonSchema");
      if (!schema.isMissingNode() && !schema.path("type").asText().equals("object")) {
        found.add("functionDeclaration parameters schema should be of type OBJECT: " + schema);
      }
      found.addAll(SchemaRefusals.ofGemini(schema));
    }
    JsonNode format = body.path("generationConfig").path("responseJsonSchema");
    found.addAll(SchemaRefusals.ofGemini(format));
    JsonNode config = body.path("toolConfig").path("functionCallingConfig");
    for (JsonNode allowed : config.path("allowedFunctionNames")) {
      if (!names.contains(allowed.asText())) {
        found.add("allowed_function_names has a function that is not declared: " + allowed);
      }
    }
  }

  private void contents(JsonNode contents) {
    int asked = 0;
    boolean isBehindUser = false;
    for (JsonNode content : contents) {
      int results = count(content, "functionResponse");
      if (results != asked && (results > 0 || asked > 0)) {
        found.add(
            "Please ensure that the number of function response parts is equal to the number of"
                + " function call parts of the function call turn: "
                + results
                + " and "
                + asked);
      }
      if (results > 1 && results != content.path("parts").size() && !isThird) {
        found.add("Other parts stand among function response parts.");
      }
      asked = count(content, "functionCall");
      if (asked > 0 && !isBehindUser) {
        found.add(
            "Please ensure that function call turn comes immediately after a user turn or after a"
                + " function response turn.");
      }
      isBehindUser = content.path("role").asText().equals("user");
    }
    if (asked > 0) {
      found.add("Calls at the end have no function response.");
    }
    if (isThird) {
      signatures(contents);
    }
  }

  /** The first call of each step of the current turn has a signature. */
  private void signatures(JsonNode contents) {
    for (int k = contents.size() - 1; k >= 0; k--) {
      JsonNode content = contents.path(k);
      boolean isUser = content.path("role").asText().equals("user");
      if (isUser && count(content, "functionResponse") == 0) {
        return;
      }
      for (JsonNode part : content.path("parts")) {
        if (part.has("functionCall")) {
          if (!part.has("thoughtSignature")) {
            found.add("Function call is missing a thought_signature in functionCall parts.");
          }
          break;
        }
      }
    }
  }

  private static int count(JsonNode content, String member) {
    int count = 0;
    for (JsonNode part : content.path("parts")) {
      count += part.has(member) ? 1 : 0;
    }
    return count;
  }
}
