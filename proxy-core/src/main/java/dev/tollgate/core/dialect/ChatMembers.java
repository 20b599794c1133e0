package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import java.util.Set;

/**
 * Names the chat request members that every dialect translates by its own rules or never sends, and
 * reads the output token limit.
 */
public final class ChatMembers {
  private static final List<String> OUTPUT_BOUNDS = List.of("max_completion_tokens", "max_tokens");

  private static final Set<String> HANDLED =
      Set.of(
          "model",
          "messages",
          "stream",
          "stream_options",
          "routing",
          "provider",
          "n",
          "max_tokens",
          "max_completion_tokens",
          "stop",
          "response_format",
          "reasoning_effort",
          "tools",
          "tool_choice");

  private ChatMembers() {}

  /** True if every dialect translates the member by its own rules, or no provider gets it. */
  public static boolean isHandled(String name) {
    return HANDLED.contains(name);
  }

  /**
   * Returns the larger of the two members that bound the answer's tokens, at most the model's own
   * bound, since providers refuse more; 0 means the chat has no bound. A member above the model's
   * bound is named.
   */
  public static long outputTokensMax(JsonMembers chat, Model model, DroppedFields dropped) {
    long max = model.outputTokensMax() > 0 ? model.outputTokensMax() : Long.MAX_VALUE;
    long bound = 0;
    for (String name : OUTPUT_BOUNDS) {
      int i = chat.indexOf(name);
      long requested = i < 0 ? 0 : chat.integer(i, 0);
      if (requested > max) {
        dropped.add(name);
      }
      bound = Math.max(bound, Math.min(requested, max));
    }
    return bound;
  }

  /** True if a path is that of the answer's bound, which every provider has. */
  public static boolean isOutputBound(String path) {
    return OUTPUT_BOUNDS.contains(path);
  }
}
