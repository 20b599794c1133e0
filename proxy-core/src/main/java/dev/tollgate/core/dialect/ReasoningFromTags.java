package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import org.jspecify.annotations.Nullable;

/**
 * Moves reasoning from between tags at the beginning of a model's answer to {@code
 * reasoning_content}, in whole messages and streams. A text that may be a part of a tag is buffered
 * until the next piece decides. After the closing tag, nothing is inspected any more.
 */
final class ReasoningFromTags implements ReasoningText {
  private static final String OPEN = "<think>";
  private static final String CLOSE = "</think>";

  /** More leading white space than this is an answer: it is not buffered without bound. */
  private static final int BLANKS_MAX = 64;

  private State state = State.BEFORE;
  private String buffered = "";
  private String reasoning = "";
  private String answer = "";

  /** Parser state: the part of the answer that the next character belongs to. */
  private enum State {
    BEFORE,
    THINKING,
    /** Between the closing tag and the first character of the answer proper. */
    AFTER_TAG,
    ANSWERING
  }

  @Override
  public boolean hasPending() {
    return !buffered.isEmpty();
  }

  @Override
  public @Nullable JsonSplice relocate(JsonMembers message, boolean last) {
    int content = JsonReads.find(message, "content", JsonKind.STRING);
    if (state == State.ANSWERING || (content < 0 && buffered.isEmpty())) {
      return null;
    }
    reasoning = "";
    answer = "";
    buffered += content < 0 ? "" : message.string(content);
    read(last);
    return edits(message, content);
  }

  private void read(boolean last) {
    if (state == State.BEFORE) {
      readStart(last);
    }
    if (state == State.THINKING) {
      readReasoning(last);
    }
    if (state == State.AFTER_TAG) {
      buffered = buffered.stripLeading();
      state = buffered.isEmpty() ? State.AFTER_TAG : State.ANSWERING;
    }
    if (state == State.ANSWERING) {
      answer = buffered;
      buffered = "";
    }
  }

  private void readStart(boolean last) {
    String text = buffered.stripLeading();
    if (text.startsWith(OPEN)) {
      state = State.THINKING;
      buffered = text.substring(OPEN.length());
    } else if (last || !OPEN.startsWith(text) || buffered.length() > BLANKS_MAX) {
      state = State.ANSWERING;
    }
  }

  private void readReasoning(boolean last) {
    int end = buffered.indexOf(CLOSE);
    int readyChars =
        end >= 0 ? end : last ? buffered.length() : buffered.length() - partialTagLength();
    reasoning = buffered.substring(0, readyChars);
    buffered = buffered.substring(end >= 0 ? end + CLOSE.length() : readyChars);
    state = end >= 0 ? State.AFTER_TAG : State.THINKING;
  }

  /** Returns how many characters at the end may be the beginning of the closing tag. */
  private int partialTagLength() {
    for (int length = Math.min(CLOSE.length() - 1, buffered.length()); length > 0; length--) {
      if (buffered.endsWith(CLOSE.substring(0, length))) {
        return length;
      }
    }
    return 0;
  }

  private JsonSplice edits(JsonMembers message, int content) {
    JsonSplice edits = JsonSplice.of(message);
    if (!reasoning.isEmpty()) {
      edits.insertLast(MEMBER, JsonBytes.string(reasoning));
    }
    if (content >= 0) {
      edits.replace(content, JsonBytes.string(answer));
    } else if (!answer.isEmpty()) {
      edits.insertLast("content", JsonBytes.string(answer));
    }
    return edits;
  }
}
