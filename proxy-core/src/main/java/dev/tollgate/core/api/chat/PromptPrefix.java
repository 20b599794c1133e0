package dev.tollgate.core.api.chat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;

/** The part of a chat that stays the same while it grows: its messages up to the first user's. */
final class PromptPrefix {
  private static final int PREFIX_BYTES_MAX = 4_096;

  private PromptPrefix() {}

  /** Returns the bytes of the prefix, up to a bound; empty for a chat without messages. */
  static String of(JsonMembers root) {
    int i = root.indexOf("messages");
    if (i < 0) {
      return "";
    }
    JsonElements messages = root.array(i);
    int end = root.valueStart(i);
    for (int k = 0; k < messages.size(); k++) {
      end = messages.valueEnd(k);
      JsonMembers message = messages.object(k);
      int role = message.indexOf("role");
      if (end - root.valueStart(i) >= PREFIX_BYTES_MAX
          || (role >= 0 && message.isString(role, "user"))) {
        break;
      }
    }
    int length = Math.min(end - root.valueStart(i), PREFIX_BYTES_MAX);
    return new String(root.bytes(), root.valueStart(i), length, ISO_8859_1);
  }
}
