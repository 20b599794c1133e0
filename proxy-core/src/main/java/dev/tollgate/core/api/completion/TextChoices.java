package dev.tollgate.core.api.completion;

import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the choices in a text completion or one of its chunks, which finds their text and the
 * repairs that SDKs need. One instance is reused for every chunk of a stream.
 */
final class TextChoices {
  private static final JsonBytes EMPTY_STRING = JsonBytes.string("");

  private final int choicesMax;
  private final JsonElements choices = new JsonElements();
  private final List<Choice> read = new ArrayList<>(1);
  private long textBytes;
  private int pieces;
  private int others;

  /**
   * @param choicesMax choices with this index or a higher one are left out
   */
  TextChoices(int choicesMax) {
    this.choicesMax = choicesMax;
  }

  /** Outcome of reading the choices of a reply or chunk. */
  enum Verdict {
    FINE,
    /** There is no choice, or only such as are left out. */
    NONE,
    /** The choices do not have a completion's shape. */
    BAD,
    /** A finish reason is a failure of the provider. */
    FAILED
  }

  /**
   * One choice of the completion.
   *
   * @param position among the choices
   * @param index its own index, or its position
   * @param carries true if it has text or log probabilities
   */
  record Choice(JsonMembers members, int position, int index, boolean carries, boolean finishes) {}

  Verdict read(JsonItems root, int choicesAt) {
    choices.readInside(root, choicesAt);
    read.clear();
    textBytes = 0;
    pieces = 0;
    others = 0;
    if (choices.size() == 0) {
      return Verdict.NONE;
    }
    Verdict verdict = choices.isCut() ? Verdict.BAD : Verdict.FINE;
    for (int k = 0; k < choices.size() && verdict == Verdict.FINE; k++) {
      verdict = choices.kind(k) == JsonKind.OBJECT ? readChoice(choices.object(k), k) : Verdict.BAD;
    }
    return verdict == Verdict.FINE && read.isEmpty() ? Verdict.NONE : verdict;
  }

  private Verdict readChoice(JsonMembers choice, int position) {
    int text = choice.indexOf("text");
    int finish = choice.indexOf("finish_reason");
    if (choice.isCut() || !mayBeText(choice, text) || !mayBeFinish(choice, finish)) {
      return Verdict.BAD;
    }
    if (finish >= 0 && FinishReason.isFailure(choice, finish)) {
      return Verdict.FAILED;
    }
    int at = choice.indexOf("index");
    long index = at < 0 ? position : choice.integer(at, position);
    if (index < 0) {
      return Verdict.BAD;
    }
    if (index >= choicesMax) {
      others++;
      return Verdict.FINE;
    }
    boolean hasText =
        text >= 0 && choice.kind(text) == JsonKind.STRING && !choice.isEmptyString(text);
    if (hasText) {
      textBytes += choice.valueEnd(text) - choice.valueStart(text) - 2;
      pieces++;
    }
    boolean carries = hasText || RequestRoot.isGiven(choice, "logprobs");
    boolean finishes = finish >= 0 && FinishReason.finishes(choice, finish);
    read.add(new Choice(choice, position, Math.toIntExact(index), carries, finishes));
    return Verdict.FINE;
  }

  private static boolean mayBeText(JsonMembers choice, int i) {
    return i < 0
        || ((choice.kind(i) == JsonKind.STRING || choice.kind(i) == JsonKind.NULL)
            && choice.indexOf("text", i + 1) < 0);
  }

  private static boolean mayBeFinish(JsonMembers choice, int i) {
    return i < 0
        || switch (choice.kind(i)) {
          case STRING, NULL -> choice.indexOf("finish_reason", i + 1) < 0;
          case NUMBER, TRUE, FALSE, OBJECT, ARRAY -> false;
        };
  }

  List<Choice> read() {
    return read;
  }

  /** True if no choice has content; choices may be finished. */
  boolean areEmpty() {
    return read.stream().noneMatch(Choice::carries);
  }

  /** Returns the bytes of text. */
  long textBytes() {
    return textBytes;
  }

  /** Returns the number of choices that are left out. */
  int others() {
    return others;
  }

  /** Returns the number of choices with text. */
  int pieces() {
    return pieces;
  }

  /**
   * Returns the repairs; null if there are none. Valid until the next {@link #read}.
   *
   * @param unfinished finish reason of choices that have none
   */
  @Nullable JsonSplice edits(JsonBytes unfinished) {
    JsonSplice edits = null;
    int next = 0;
    for (int k = 0; k < choices.size(); k++) {
      boolean kept = next < read.size() && read.get(next).position == k;
      JsonSplice repaired = kept ? repair(read.get(next++), unfinished) : null;
      if (repaired == null) {
        edits = (edits == null ? JsonSplice.of(choices) : edits).delete(k);
      } else if (!repaired.isUnchanged()) {
        edits = (edits == null ? JsonSplice.of(choices) : edits).replace(k, repaired);
      }
    }
    return edits;
  }

  private static JsonSplice repair(Choice choice, JsonBytes unfinished) {
    JsonMembers members = choice.members;
    JsonSplice edits = JsonSplice.of(members);
    int index = members.indexOf("index");
    if (index < 0) {
      edits.insertFirst("index", JsonBytes.number(choice.index));
    } else if (members.writtenInteger(index, -1) != choice.index) {
      edits.replace(index, JsonBytes.number(choice.index));
    }
    int text = members.indexOf("text");
    if (text < 0) {
      edits.insertLast("text", EMPTY_STRING);
    } else if (members.kind(text) == JsonKind.NULL) {
      edits.replace(text, EMPTY_STRING);
    }
    int finish = members.indexOf("finish_reason");
    if (finish < 0) {
      edits.insertLast("finish_reason", unfinished);
    } else if (choice.finishes) {
      JsonBytes replacement = FinishReason.replacement(members, finish);
      if (replacement != null) {
        edits.replace(finish, replacement);
      }
    } else if (members.kind(finish) != JsonKind.NULL || unfinished != JsonBytes.NULL) {
      edits.replace(finish, unfinished);
    }
    return edits;
  }
}
