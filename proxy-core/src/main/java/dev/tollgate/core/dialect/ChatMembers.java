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
   * bound, since providers refuse more; 0 means the chat has no bound.
   */
  public static long outputTokensMax(JsonMembers chat, Model model) {
    long requested = 0;
    for (String name : List.of("max_completion_tokens", "max_tokens")) {
      int i = chat.indexOf(name);
      requested = i < 0 ? requested : Math.max(requested, chat.integer(i, 0));
    }
    return model.outputTokensMax() > 0 ? Math.min(requested, model.outputTokensMax()) : requested;
  }
}
