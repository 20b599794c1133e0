package dev.tollgate.core.dialect;

import java.util.Set;

/** The members of a chat that every dialect sees to on its own, or that concern us alone. */
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

  public static boolean isHandled(String name) {
    return HANDLED.contains(name);
  }
}
