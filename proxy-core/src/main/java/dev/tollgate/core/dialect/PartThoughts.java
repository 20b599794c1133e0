package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/** Thoughts beside the answer, both as parts of the content, which becomes text. */
final class PartThoughts implements Thoughts {
  @Override
  public @Nullable JsonSplice moved(JsonMembers message, boolean last) {
    int content = Given.at(message, "content", JsonKind.ARRAY);
    if (content < 0) {
      return null;
    }
    StringBuilder answer = new StringBuilder();
    StringBuilder thought = new StringBuilder();
    JsonElements parts = message.array(content);
    for (int k = 0; k < parts.size(); k++) {
      if (parts.kind(k) == JsonKind.OBJECT) {
        part(parts.object(k), answer, thought);
      }
    }
    JsonSplice edits = JsonSplice.of(message);
    if (!thought.isEmpty()) {
      edits.insertBefore(content, MEMBER, JsonBytes.string(thought.toString()));
    }
    return edits.replace(content, JsonBytes.string(answer.toString()));
  }

  /** What is neither, such as a reference to a source, is nothing that a text could hold. */
  private static void part(JsonMembers part, StringBuilder answer, StringBuilder thought) {
    int thoughts = Given.at(part, "thinking");
    if (Given.is(part, "type", "thinking") && thoughts >= 0) {
      thought(part, thoughts, thought);
    } else if (Given.is(part, "type", "text")) {
      text(part, answer);
    }
  }

  private static void thought(JsonItems part, int i, StringBuilder into) {
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
    int text = Given.text(part, "text");
    if (text >= 0) {
      into.append(part.string(text));
    }
  }
}
