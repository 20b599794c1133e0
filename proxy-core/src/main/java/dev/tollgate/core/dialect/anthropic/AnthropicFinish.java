package dev.tollgate.core.dialect.anthropic;

/** Why Anthropic's models stop, as OpenAI says it. */
final class AnthropicFinish {
  private AnthropicFinish() {}

  static String canonical(String stopReason) {
    return switch (stopReason) {
      case "max_tokens", "model_context_window_exceeded" -> "length";
      case "tool_use" -> "tool_calls";
      case "refusal" -> "content_filter";
      default -> "stop"; // end_turn, stop_sequence, pause_turn, and what is still to come
    };
  }
}
