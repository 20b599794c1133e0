package dev.tollgate.core.dialect.bedrock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonWriter;
import java.util.Base64;

/**
 * A thought that is hidden: Bedrock encodes what Anthropic itself gives out as text once more. What
 * a client gets is Anthropic's, so that it can be handed back to either.
 */
final class BedrockRedactedReasoning {
  private BedrockRedactedReasoning() {}

  /** What Bedrock calls redacted, as Anthropic writes it, or as it is where it is not that. */
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

  /** The other way round, at a model that it was written for. */
  static String redacted(String hidden, BedrockFamily family) {
    return family == BedrockFamily.CLAUDE
        ? Base64.getEncoder().encodeToString(hidden.getBytes(ISO_8859_1))
        : hidden;
  }
}
