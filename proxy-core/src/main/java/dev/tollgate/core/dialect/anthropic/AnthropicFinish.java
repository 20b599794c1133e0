package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Converts Anthropic's stop reasons to OpenAI's finish reasons and refusals. */
final class AnthropicFinish {
  private AnthropicFinish() {}

  static String canonical(String stopReason) {
    return switch (stopReason) {
      case "max_tokens", "model_context_window_exceeded" -> "length";
      case "tool_use" -> "tool_calls";
      case "refusal" -> "content_filter";
      default -> "stop"; // end_turn, stop_sequence, pause_turn, and future reasons
    };
  }

  /**
   * Writes why Anthropic refused, if it explains that, as the refusal of a delta or a message.
   * Returns true if it did.
   */
  static boolean writeRefusal(JsonMembers finished, String stopReason, JsonWriter out) {
    JsonMembers details = JsonReads.object(finished, "stop_details");
    boolean explained =
        stopReason.equals("refusal") && JsonReads.findText(details, "explanation") >= 0;
    if (explained) {
      JsonReads.copyText(details, "explanation", "refusal", out);
    }
    return explained;
  }
}
