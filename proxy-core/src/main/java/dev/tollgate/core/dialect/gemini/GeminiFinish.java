package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;

/** Converts Gemini's finish reasons to OpenAI's. */
final class GeminiFinish {
  private GeminiFinish() {}

  /** Returns Gemini's name of the reason; some servers send its number. */
  static String own(JsonItems candidate, int finishReason) {
    if (candidate.kind(finishReason) == JsonKind.STRING) {
      return candidate.string(finishReason);
    }
    return switch ((int) candidate.integer(finishReason, 0)) {
      case 1 -> "STOP";
      case 2 -> "MAX_TOKENS";
      case 3 -> "SAFETY";
      case 4 -> "RECITATION";
      default -> "OTHER";
    };
  }

  /**
   * @param calls number of calls, which Gemini's reason does not show
   */
  static String canonical(String reason, int calls) {
    return switch (reason) {
      case "MAX_TOKENS" -> "length";
      case "SAFETY",
          "RECITATION",
          "LANGUAGE",
          "BLOCKLIST",
          "PROHIBITED_CONTENT",
          "SPII",
          "IMAGE_SAFETY",
          "IMAGE_PROHIBITED_CONTENT",
          "IMAGE_RECITATION",
          "MODEL_ARMOR" ->
          "content_filter";
      case "MALFORMED_FUNCTION_CALL",
          "UNEXPECTED_TOOL_CALL",
          "TOO_MANY_TOOL_CALLS",
          "MALFORMED_RESPONSE",
          "MISSING_THOUGHT_SIGNATURE" ->
          "error";
      default -> calls > 0 ? "tool_calls" : "stop"; // STOP, OTHER, and future reasons
    };
  }
}
