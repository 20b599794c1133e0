package dev.tollgate.core.dialect.message;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.WhiteSpace;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;

/**
 * The text with which a conversation ends that its provider is to continue. It is sent without
 * trailing white space, which Claude refuses there.
 *
 * @param at offset of the text in the request's bytes; -1 means the conversation does not end so
 */
public record PrefillText(int at) {
  /** User's turn behind an answer that the model does not continue by itself. */
  public static final String CONTINUATION =
      "Continue your last message from where it ends, without repeating it.";

  private static final int NONE = -1;

  /** Finds the last text of the messages, if the assistant's are the last. */
  public static PrefillText of(JsonElements messages) {
    for (int k = messages.size() - 1; k >= 0; k--) {
      JsonMembers message = messages.object(k);
      boolean isAssistant = JsonReads.isString(message, "role", "assistant");
      if (!isAssistant || JsonReads.array(message, "tool_calls").size() > 0) {
        return new PrefillText(NONE);
      }
      int found = lastText(message);
      if (found != NONE || JsonReads.array(message, "reasoning_details").size() > 0) {
        return new PrefillText(found); // reasoning without a text is no end to continue from
      }
    }
    return new PrefillText(NONE);
  }

  private static int lastText(JsonMembers message) {
    int content = JsonReads.find(message, "content");
    if (content >= 0 && message.kind(content) == JsonKind.STRING) {
      return WhiteSpace.isBlank(message, content) ? NONE : message.valueStart(content);
    }
    JsonElements parts = JsonReads.array(message, "content");
    for (int k = parts.size() - 1; k >= 0; k--) {
      JsonMembers part = JsonReads.object(parts, k);
      int text = JsonReads.find(part, "text", JsonKind.STRING);
      int i = text < 0 ? JsonReads.find(part, "refusal", JsonKind.STRING) : text;
      if (i >= 0 && !WhiteSpace.isBlank(part, i)) {
        return part.valueStart(i);
      }
    }
    return NONE;
  }

  /** Returns a text as it is to be sent. */
  public JsonBytes of(JsonItems from, int i) {
    return from.valueStart(i) == at
        ? JsonBytes.string(WhiteSpace.stripTrailing(from.string(i)))
        : JsonBytes.of(from, i);
  }
}
