package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;

/**
 * A chat in which nobody but the system speaks, which some providers would refuse: what it says
 * last is put to them as the user's.
 */
public final class SystemOnlyPrompt {
  private SystemOnlyPrompt() {}

  public static boolean isSystem(JsonMembers message) {
    return JsonReads.isString(message, "role", "system")
        || JsonReads.isString(message, "role", "developer");
  }

  /** The message that is put as the user's; -1: somebody else speaks. */
  public static int promotedIndex(JsonElements messages) {
    for (int k = 0; k < messages.size(); k++) {
      if (!isSystem(messages.object(k))) {
        return -1;
      }
    }
    return messages.size() - 1;
  }
}
