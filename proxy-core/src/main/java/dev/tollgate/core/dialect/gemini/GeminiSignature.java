package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;

/**
 * Gemini's proof of the thought behind a call or a text, where Google's own compatible API puts it:
 * {@code extra_content.google.thought_signature} of the call or the message. What a client hands
 * back goes to Gemini as it came.
 */
final class GeminiSignature {
  /** Google's word for calls that it did not make itself, such as another provider's. */
  static final JsonBytes SKIP_VALIDATION = JsonBytes.string("skip_thought_signature_validator");

  private GeminiSignature() {}

  /** Writes that of one of Gemini's parts as a member of a call or a message. */
  static void write(JsonItems part, int signature, JsonWriter out) {
    out.name("extra_content").beginObject().name("google").beginObject();
    out.name("thought_signature").raw(JsonBytes.of(part, signature)).endObject().endObject();
  }

  /** That of a call or a message. */
  static Optional<JsonBytes> of(JsonMembers from) {
    JsonMembers own = JsonReads.object(JsonReads.object(from, "extra_content"), "google");
    int signature = JsonReads.findText(own, "thought_signature");
    return signature < 0 ? Optional.empty() : Optional.of(JsonBytes.of(own, signature));
  }
}
