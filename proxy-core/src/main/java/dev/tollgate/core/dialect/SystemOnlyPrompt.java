package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;

/**
 * Detects chats with system messages only, which some providers refuse, so that the last one is
 * sent as a user message.
 */
public final class SystemOnlyPrompt {
  private SystemOnlyPrompt() {}

  public static boolean isSystem(JsonMembers message) {
    return JsonReads.isString(message, "role", "system")
        || JsonReads.isString(message, "role", "developer");
  }

  /**
   * Returns the index of the message that is sent as a user message; -1 means the chat has other
   * messages.
   */
  public static int promotedIndex(JsonElements messages) {
    for (int k = 0; k < messages.size(); k++) {
      if (!isSystem(messages.object(k))) {
        return -1;
      }
    }
    return messages.size() - 1;
  }
}
