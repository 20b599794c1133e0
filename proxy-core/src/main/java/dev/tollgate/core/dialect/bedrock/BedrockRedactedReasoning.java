package dev.tollgate.core.dialect.bedrock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonWriter;
import java.util.Base64;

/**
 * Converts encrypted reasoning between Anthropic's form and Bedrock's, which encodes Anthropic's
 * text in base64 once more. Clients get Anthropic's form, which they can send back to either host.
 */
final class BedrockRedactedReasoning {
  private BedrockRedactedReasoning() {}

  /** Writes Bedrock's value in Anthropic's form, or as it is if it has another form. */
  static void write(JsonItems from, int i, JsonWriter out) {
    String hidden = from.string(i);
    try {
      String inside = new String(Base64.getDecoder().decode(hidden), ISO_8859_1);
      Base64.getDecoder().decode(inside);
      out.string(inside);
    } catch (IllegalArgumentException e) {
      out.raw(JsonBytes.of(from, i));
    }
  }

  /** Returns the value in Bedrock's form, for Claude models. */
  static String redacted(String hidden, BedrockFamily family) {
    return family == BedrockFamily.CLAUDE
        ? Base64.getEncoder().encodeToString(hidden.getBytes(ISO_8859_1))
        : hidden;
  }
}
