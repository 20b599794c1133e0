package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Moves reasoning from {@code thinking} parts of a message's content to {@code reasoning_content},
 * and joins the remaining text.
 */
final class ReasoningFromParts implements ReasoningText {
  @Override
  public @Nullable JsonSplice relocate(JsonMembers message, boolean last) {
    int content = JsonReads.find(message, "content", JsonKind.ARRAY);
    if (content < 0) {
      return null;
    }
    StringBuilder answer = new StringBuilder();
    StringBuilder reasoning = new StringBuilder();
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      if (parts.kind(k) == JsonKind.OBJECT) {
        part(parts.object(k), answer, reasoning);
      }
    }
    JsonSplice edits = JsonSplice.of(message);
    if (!reasoning.isEmpty()) {
      edits.insertBefore(content, MEMBER, JsonBytes.string(reasoning.toString()));
    }
    return edits.replace(content, JsonBytes.string(answer.toString()));
  }

  /**
   * Reads a part; other parts, such as references to sources, cannot be held in a text and are
   * dropped.
   */
  private static void part(JsonMembers part, StringBuilder answer, StringBuilder reasoning) {
    int reasoningIndex = JsonReads.find(part, "thinking");
    if (JsonReads.isString(part, "type", "thinking") && reasoningIndex >= 0) {
      appendReasoning(part, reasoningIndex, reasoning);
    } else if (JsonReads.isString(part, "type", "text")) {
      text(part, answer);
    }
  }

  private static void appendReasoning(JsonItems part, int i, StringBuilder into) {
    switch (part.kind(i)) {
      case STRING -> into.append(part.string(i));
      case ARRAY -> {
        JsonElements pieces = part.array(i);
        for (int k = 0; k < pieces.size(); k++) {
          if (pieces.kind(k) == JsonKind.OBJECT) {
            text(pieces.object(k), into);
          }
        }
      }
      case OBJECT, NUMBER, TRUE, FALSE, NULL -> {}
    }
  }

  private static void text(JsonMembers part, StringBuilder into) {
    int text = JsonReads.findText(part, "text");
    if (text >= 0) {
      into.append(part.string(text));
    }
  }
}
