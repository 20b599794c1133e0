package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * A thought at the beginning of the answer, between tags. What may be a part of a tag is held back
 * until the next piece tells. Behind the closing tag nothing is looked at any more.
 */
final class TaggedThoughts implements Thoughts {
  private static final String OPEN = "<think>";
  private static final String CLOSE = "</think>";

  /** What begins with more white space than this is an answer: it is not held without end. */
  private static final int BLANKS_MAX = 64;

  private State state = State.BEFORE;
  private String held = "";
  private String thought = "";
  private String answer = "";

  /** Where in the answer the next character stands. */
  private enum State {
    BEFORE,
    THINKING,
    /** Between the closing tag and the first character of the answer proper. */
    BEHIND,
    ANSWERING
  }

  @Override
  public boolean holdsBack() {
    return !held.isEmpty();
  }

  @Override
  public @Nullable JsonSplice moved(JsonMembers message, boolean last) {
    int content = Given.at(message, "content", JsonKind.STRING);
    if (state == State.ANSWERING || (content < 0 && held.isEmpty())) {
      return null;
    }
    thought = "";
    answer = "";
    held += content < 0 ? "" : message.string(content);
    read(last);
    return edits(message, content);
  }

  private void read(boolean last) {
    if (state == State.BEFORE) {
      before(last);
    }
    if (state == State.THINKING) {
      thinking(last);
    }
    if (state == State.BEHIND) {
      held = held.stripLeading();
      state = held.isEmpty() ? State.BEHIND : State.ANSWERING;
    }
    if (state == State.ANSWERING) {
      answer = held;
      held = "";
    }
  }

  private void before(boolean last) {
    String text = held.stripLeading();
    if (text.startsWith(OPEN)) {
      state = State.THINKING;
      held = text.substring(OPEN.length());
    } else if (last || !OPEN.startsWith(text) || held.length() > BLANKS_MAX) {
      state = State.ANSWERING;
    }
  }

  private void thinking(boolean last) {
    int end = held.indexOf(CLOSE);
    int told = end >= 0 ? end : last ? held.length() : held.length() - partOfTag();
    thought = held.substring(0, told);
    held = held.substring(end >= 0 ? end + CLOSE.length() : told);
    state = end >= 0 ? State.BEHIND : State.THINKING;
  }

  /** How many characters at the end may be the beginning of the closing tag. */
  private int partOfTag() {
    for (int length = Math.min(CLOSE.length() - 1, held.length()); length > 0; length--) {
      if (held.endsWith(CLOSE.substring(0, length))) {
        return length;
      }
    }
    return 0;
  }

  private JsonSplice edits(JsonMembers message, int content) {
    JsonSplice edits = JsonSplice.of(message);
    if (!thought.isEmpty()) {
      edits.insertLast(MEMBER, JsonBytes.string(thought));
    }
    if (content >= 0) {
      edits.replace(content, JsonBytes.string(answer));
    } else if (!answer.isEmpty()) {
      edits.insertLast("content", JsonBytes.string(answer));
    }
    return edits;
  }
}
