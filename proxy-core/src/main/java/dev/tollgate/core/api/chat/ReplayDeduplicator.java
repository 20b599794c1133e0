package dev.tollgate.core.api.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.DeliveredContent;
import dev.tollgate.core.api.DeltaText;
import dev.tollgate.core.api.RestartDetector;
import dev.tollgate.core.api.ResumePoint;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Filter that removes content that the client already has from another provider's chat stream. It
 * compares repeated texts with the delivered ones and passes only new content, which it records.
 * Texts are compared as decoded UTF-16, so that escapes, events and surrogate pairs may be split
 * differently.
 */
final class ReplayDeduplicator {
  private final DeliveredContent delivered;
  private final boolean continues;
  private final Map<DeltaText, RepetitionMatcher> repetitions = new EnumMap<>(DeltaText.class);
  private @Nullable RestartDetector restart;
  private String released = "";
  private int charsToRepeat;

  /** Outcome of the comparison of one chunk with the content that the client has. */
  enum Verdict {
    /** Content that the client does not have. */
    NEW,
    /** Only content that the client has. */
    REPEATED,
    /** Content that contradicts what the client has. */
    DIFFERENT
  }

  private ReplayDeduplicator(DeliveredContent delivered, boolean continues) {
    this.delivered = delivered;
    this.continues = continues;
  }

  /** Returns the filter; null if nothing is recorded. */
  static @Nullable ReplayDeduplicator of(StreamContinuation continuation) {
    return switch (continuation) {
      case StreamContinuation.None _ -> null;
      case StreamContinuation.Recorded kept -> new ReplayDeduplicator(kept.delivered(), false);
      case StreamContinuation.Prefill prefill -> {
        var deduplicator = new ReplayDeduplicator(prefill.delivered(), true);
        deduplicator.expectWhiteSpace();
        deduplicator.restart =
            RestartDetector.of(prefill.delivered().of(DeltaText.CONTENT).toString());
        yield deduplicator;
      }
      case StreamContinuation.Replay replay -> {
        var deduplicator = new ReplayDeduplicator(replay.delivered(), true);
        deduplicator.expectRepetition();
        yield deduplicator;
      }
    };
  }

  /**
   * Expects the white space that was cut off the prefill, which the provider may generate again.
   */
  private void expectWhiteSpace() {
    String white = delivered.trailingWhitespace();
    if (!white.isEmpty()) {
      repetitions.put(DeltaText.CONTENT, new RepetitionMatcher(white, false));
    }
  }

  private void expectRepetition() {
    for (DeltaText text : DeltaText.values()) {
      expect(text, delivered.of(text).toString());
    }
  }

  private void expect(DeltaText text, String known) {
    repetitions.put(text, new RepetitionMatcher(known, true));
    charsToRepeat += known.length();
  }

  /** True if the client has the beginning of the stream from another provider. */
  boolean continues() {
    return continues;
  }

  /** True while the provider has to repeat content that the client has. */
  boolean isBehind() {
    return charsToRepeat > 0;
  }

  /** Returns the point from which the stream continues; null if the client has nothing. */
  @Nullable ResumePoint resumePoint() {
    return delivered.resumePoint();
  }

  /** Records that a chunk was sent to the client. */
  void sent(ResumePoint as) {
    delivered.sent(as);
  }

  /** Judges a chunk and restricts it to new content. */
  Verdict read(ChoiceReader choice) {
    released = "";
    JsonMembers delta = choice.delta();
    Part[] parts = delta == null ? new Part[0] : parts(choice, delta);
    // Some providers send a finish in each chunk; beside repeated text it is ignored.
    boolean doubtful = choice.finishes() && isBehind() && !choice.isEmptyDelta();
    boolean fresh = choice.finishes() && !doubtful;
    boolean repeats = false;
    for (Part part : parts) {
      fresh |= part.kind == Part.Kind.OTHER;
      repeats |= part.kind == Part.Kind.CONSTANT && continues;
    }
    if (fresh) {
      releaseHeld(); // whatever the text was to be
    }
    for (Part part : parts) {
      if (part.kind == Part.Kind.TEXT) {
        int repeated = countRepeated(part);
        if (repeated < 0) {
          return Verdict.DIFFERENT;
        }
        part.repeated = repeated;
        repeats |= repeated > 0;
        fresh |= repeated < part.piece.length();
      }
    }
    fresh |= !released.isEmpty() || (doubtful && !isBehind());
    if (fresh && isBehind()) {
      return Verdict.DIFFERENT;
    }
    if (repeats && !fresh) {
      return Verdict.REPEATED;
    }
    keepReleased();
    choice.restrict(delta == null ? null : restricted(delta, parts));
    return Verdict.NEW;
  }

  /** Member of a chunk's delta, classified by the way in which it is compared. */
  private static final class Part {
    private final Kind kind;
    private final DeltaText text;
    private final String piece;
    private int repeated;

    private enum Kind {
      /** Text to append. */
      TEXT,
      /** Text that the delta also has under another name. */
      DUPLICATE,
      /** Value that is the same in each chunk. */
      CONSTANT,
      /** Details that repeat a text of the delta in parts. */
      DETAILS,
      OTHER,
      NOTHING
    }

    Part(Kind kind, DeltaText text, String piece) {
      this.kind = kind;
      this.text = text;
      this.piece = piece;
    }

    static Part of(Kind kind) {
      return new Part(kind, DeltaText.CONTENT, "");
    }
  }

  private Part[] parts(ChoiceReader choice, JsonMembers delta) {
    Part[] parts = new Part[delta.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = choice.carries(i) ? part(delta, i) : Part.of(Part.Kind.NOTHING);
    }
    return parts;
  }

  private Part part(JsonMembers delta, int i) {
    DeltaText own = DeltaText.of(delta, i);
    if (own == null && isDetails(delta, i)) {
      return Part.of(Part.Kind.DETAILS);
    }
    if (own == null) {
      return Part.of(isConstant(delta, i) ? Part.Kind.CONSTANT : Part.Kind.OTHER);
    }
    DeltaText text = continues ? delivered.deliveredAs(own) : own;
    return text != own && text.isIn(delta)
        ? Part.of(Part.Kind.DUPLICATE)
        : new Part(Part.Kind.TEXT, text, delta.string(i));
  }

  private static boolean isDetails(JsonMembers delta, int i) {
    int thought = delta.indexOf(DeltaText.REASONING.member());
    return delta.isName(i, "reasoning_details")
        && thought >= 0
        && delta.kind(thought) == JsonKind.STRING
        && !delta.isEmptyString(thought);
  }

  /** True if the member can be constant; in the first stream any leading value can. */
  private boolean isConstant(JsonMembers delta, int i) {
    return continues ? delivered.hasConstant(delta, i) : delivered.mayBeConstant(delta, i);
  }

  /**
   * Returns the number of chars of a piece that the client does not get now; negative if the piece
   * differs.
   */
  private int countRepeated(Part part) {
    RestartDetector detector = part.text == DeltaText.CONTENT ? restart : null;
    if (detector == null) {
      return repeat(part.text, part.piece);
    }
    return switch (detector.take(part.piece)) {
      case HELD -> part.piece.length();
      case RESTARTED -> {
        restart = null;
        expect(
            DeltaText.CONTENT,
            delivered.of(DeltaText.CONTENT).toString().substring(detector.length()));
        int more = repeat(part.text, part.piece.substring(detector.consumed()));
        yield more < 0 ? more : detector.consumed() + more;
      }
      case OTHER -> {
        releaseHeld();
        yield repeat(part.text, part.piece);
      }
    };
  }

  /** Releases the held text as new, because the answer did not start over. */
  private void releaseHeld() {
    RestartDetector ended = restart;
    restart = null;
    if (ended != null) {
      String held = ended.held();
      released = held.substring(repeat(DeltaText.CONTENT, held));
    }
  }

  private void keepReleased() {
    delivered.add(DeltaText.CONTENT, released, released.getBytes(UTF_8).length);
  }

  /** Returns the held text to send in front of the chunk. */
  String released() {
    return released;
  }

  /** Returns the held text at the end of the stream. */
  String flushHeld() {
    released = "";
    releaseHeld();
    keepReleased();
    return released;
  }

  /** Returns the number of chars of a piece that are repeated; negative if the piece differs. */
  private int repeat(DeltaText text, String piece) {
    RepetitionMatcher repetition = repetitions.get(text);
    int count = repetition == null ? 0 : repetition.take(piece);
    if (repetition != null && repetition.mustBeWhole()) {
      charsToRepeat -= Math.max(0, count);
    }
    return count;
  }

  private @Nullable JsonSplice restricted(JsonMembers delta, Part[] parts) {
    JsonSplice edits = null;
    for (int i = 0; i < parts.length; i++) {
      Part part = parts[i];
      switch (part.kind) {
        case NOTHING -> {
          if (continues && delta.isName(i, "role")) {
            edits = on(delta, edits).delete(i);
          }
        }
        case CONSTANT -> delivered.keepConstant(delta, i);
        case OTHER -> delivered.addOther();
        case DUPLICATE -> edits = on(delta, edits).delete(i);
        case DETAILS -> edits = isPartlyRepeated(parts) ? on(delta, edits).delete(i) : edits;
        case TEXT -> {
          String left = part.piece.substring(part.repeated);
          delivered.add(part.text, left, delta.valueEnd(i) - delta.valueStart(i) - 2);
          if (!part.text.isName(delta, i)) {
            edits = on(delta, edits).delete(i);
            edits.insertLast(part.text.member(), JsonBytes.string(left));
          } else if (part.repeated > 0) {
            edits = on(delta, edits).replace(i, JsonBytes.string(left));
          }
        }
      }
    }
    return edits;
  }

  /** True if the client has a part of the text: its details cannot be cut. */
  private static boolean isPartlyRepeated(Part[] parts) {
    for (Part part : parts) {
      if (part.repeated > 0) {
        return true;
      }
    }
    return false;
  }

  private static JsonSplice on(JsonMembers delta, @Nullable JsonSplice edits) {
    return edits == null ? JsonSplice.of(delta) : edits;
  }
}
