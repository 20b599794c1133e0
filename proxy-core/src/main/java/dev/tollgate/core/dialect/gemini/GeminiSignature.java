package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and writes Gemini's signature of the reasoning before a call or a text. The signature is at
 * the place that Google's own compatible API uses: {@code extra_content.google.thought_signature}
 * of the call or the message. A signature that a client sends back is passed to Gemini unchanged.
 */
final class GeminiSignature {
  /** Google's value for calls that Gemini did not make, such as another provider's. */
  static final JsonBytes SKIP_VALIDATION = JsonBytes.string("skip_thought_signature_validator");

  private static final Set<String> WITH_REASONING =
      Set.of(LostMembers.IMAGES, ReasoningText.MEMBER, "reasoning");

  private GeminiSignature() {}

  /** Writes the signature of a part as a member of a call or a message. */
  static void write(JsonItems part, int signature, JsonWriter out) {
    out.name("extra_content").beginObject().name("google").beginObject();
    out.name("thought_signature").raw(JsonBytes.of(part, signature)).endObject().endObject();
  }

  /** Returns the members of a message that are sent; a signature stands for its reasoning. */
  static Set<String> membersTaken(JsonMembers message) {
    boolean isSigned = of(message).isPresent();
    JsonElements calls = JsonReads.array(message, "tool_calls");
    for (int k = 0; k < calls.size(); k++) {
      isSigned |= of(JsonReads.object(calls, k)).isPresent();
    }
    return isSigned ? WITH_REASONING : Set.of(LostMembers.IMAGES);
  }

  /** Returns the signature of a call or a message. */
  static Optional<JsonBytes> of(JsonMembers from) {
    JsonMembers own = JsonReads.object(JsonReads.object(from, "extra_content"), "google");
    int signature = JsonReads.findText(own, "thought_signature");
    return signature < 0 ? Optional.empty() : Optional.of(JsonBytes.of(own, signature));
  }
}
