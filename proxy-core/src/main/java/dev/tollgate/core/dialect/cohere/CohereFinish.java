package dev.tollgate.core.dialect.cohere;

/** Converts Cohere's finish reasons to OpenAI's. */
final class CohereFinish {
  static final String FAILED = "ERROR";

  private CohereFinish() {}

  static String canonical(String reason) {
    return switch (reason) {
      case "MAX_TOKENS" -> "length";
      case "TOOL_CALL" -> "tool_calls";
      case "ERROR_TOXIC" -> "content_filter";
      default -> "stop";
    };
  }

  /** True if the answer failed, whatever was sent before. */
  static boolean isFailure(String reason) {
    return reason.equals(FAILED) || reason.equals("TIMEOUT") || reason.equals("ERROR_LIMIT");
  }
}
