package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client's texts whole over several providers: compares what one repeats with what was
 * delivered, lets through only what is new, and notes that. Texts are compared as decoded UTF-16,
 * so that escapes, events and surrogate pairs may be cut differently.
 */
final class Continuity {
  private final Delivered delivered;
  private final boolean continues;
  private final Map<DeltaText, Repetition> repetitions = new EnumMap<>(DeltaText.class);
  private int charsToRepeat;

  /** What a chunk brings. */
  enum Verdict {
    /** Something that the client does not have. */
    NEW,
    /** Only what the client has. */
    REPEATED,
    /** Something else than what the client has. */
    DIFFERENT
  }

  private Continuity(Delivered delivered, boolean continues) {
    this.delivered = delivered;
    this.continues = continues;
  }

  /** Null where nothing is kept. */
  static @Nullable Continuity of(Opening opening) {
    return switch (opening) {
      case Opening.Plain _ -> null;
      case Opening.Kept kept -> new Continuity(kept.delivered(), false);
      case Opening.Prefill prefill -> {
        var continuity = new Continuity(prefill.delivered(), true);
        continuity.expectWhiteSpace();
        yield continuity;
      }
      case Opening.Replay replay -> {
        var continuity = new Continuity(replay.delivered(), true);
        continuity.expectRepetition();
        yield continuity;
      }
    };
  }

  /** It was handed the text without the white space at its end, which it may write again. */
  private void expectWhiteSpace() {
    String white = delivered.whiteEnd();
    if (!white.isEmpty()) {
      repetitions.put(DeltaText.CONTENT, new Repetition(white, false));
    }
  }

  private void expectRepetition() {
    for (DeltaText text : DeltaText.values()) {
      String known = delivered.of(text).toString();
      repetitions.put(text, new Repetition(known, true));
      charsToRepeat += known.length();
    }
  }

  /** Whether the client has the beginning of the stream from another provider. */
  boolean continues() {
    return continues;
  }

  /** Whether the provider still has to repeat what the client has. */
  boolean isBehind() {
    return charsToRepeat > 0;
  }

  /** The identity of the client's stream; null while it has none. */
  RootEdits.@Nullable Identity identity() {
    return delivered.identity();
  }

  /** A chunk goes to the client. */
  void sent(RootEdits.Identity as) {
    delivered.sent(as);
  }

  /** Judges a chunk and restricts it to what is new. */
  Verdict read(ChoiceReader choice) {
    JsonMembers delta = choice.delta();
    int members = delta == null ? 0 : delta.size();
    int[] repeated = new int[members];
    boolean fresh = choice.finishes();
    boolean repeats = false;
    for (int i = 0; delta != null && i < members; i++) {
      if (choice.carries(i)) {
        DeltaText text = DeltaText.of(delta, i);
        repeated[i] = text == null ? 0 : repeat(text, delta.string(i));
        if (repeated[i] < 0) {
          return Verdict.DIFFERENT;
        }
        repeats |= repeated[i] > 0;
        fresh |= text == null || repeated[i] < delta.string(i).length();
      }
    }
    if (fresh && isBehind()) {
      return Verdict.DIFFERENT;
    }
    if (repeats && !fresh) {
      return Verdict.REPEATED;
    }
    if (delta != null) {
      restrict(choice, delta, repeated);
    }
    return Verdict.NEW;
  }

  /** How many chars of a piece are repetition; negative: it differs. */
  private int repeat(DeltaText text, String piece) {
    Repetition repetition = repetitions.get(text);
    int count = repetition == null ? 0 : repetition.take(piece);
    if (repetition != null && repetition.mustBeWhole) {
      charsToRepeat -= Math.max(0, count);
    }
    return count;
  }

  private void restrict(ChoiceReader choice, JsonMembers delta, int[] repeated) {
    JsonSplice edits = null;
    for (int i = 0; i < delta.size(); i++) {
      if (continues && delta.isName(i, "role")) {
        edits = (edits == null ? JsonSplice.of(delta) : edits).delete(i);
      } else if (choice.carries(i)) {
        String left = take(delta, i, repeated[i]);
        if (repeated[i] > 0) {
          edits = (edits == null ? JsonSplice.of(delta) : edits).replace(i, JsonBytes.string(left));
        }
      }
    }
    choice.restrict(edits);
  }

  private String take(JsonMembers delta, int i, int repeated) {
    DeltaText text = DeltaText.of(delta, i);
    if (text == null) {
      delivered.addOther();
      return "";
    }
    String left = delta.string(i).substring(repeated);
    delivered.add(text, left, delta.valueEnd(i) - delta.valueStart(i) - 2);
    return left;
  }

  /** How far a provider has repeated one text. */
  private static final class Repetition {
    private final String known;
    private final boolean mustBeWhole;
    private int at;

    /**
     * @param mustBeWhole whether anything else is another answer
     */
    Repetition(String known, boolean mustBeWhole) {
      this.known = known;
      this.mustBeWhole = mustBeWhole;
    }

    /** How many chars of a piece are the next of the text; negative: it differs. */
    int take(String piece) {
      return mustBeWhole ? takeAll(piece) : takeSome(piece);
    }

    private int takeSome(String piece) {
      int count = 0;
      while (count < piece.length()
          && at < known.length()
          && piece.charAt(count) == known.charAt(at)) {
        count++;
        at++;
      }
      if (count < piece.length()) {
        at = known.length(); // what comes behind anything else is new
      }
      return count;
    }

    private int takeAll(String piece) {
      int count = Math.min(piece.length(), known.length() - at);
      if (!known.startsWith(piece.substring(0, count), at)) {
        return -1;
      }
      at += count;
      return count;
    }
  }
}
