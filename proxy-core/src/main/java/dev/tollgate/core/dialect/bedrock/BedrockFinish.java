package dev.tollgate.core.dialect.bedrock;

/** Converts Bedrock's stop reasons to OpenAI's finish reasons. */
final class BedrockFinish {
  private BedrockFinish() {}

  static String canonical(String reason) {
    return switch (reason) {
      case "tool_use" -> "tool_calls";
      case "max_tokens", "model_context_window_exceeded" -> "length";
      case "guardrail_intervened", "content_filtered" -> "content_filter";
      case "malformed_model_output", "malformed_tool_use" -> "error";
      default -> "stop"; // end_turn, stop_sequence, and future reasons
    };
  }
}
