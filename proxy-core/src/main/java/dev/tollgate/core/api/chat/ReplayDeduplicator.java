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
 * Keeps a client's texts whole over several providers: compares what one repeats with what was
 * delivered, lets through only what is new, and notes that. Texts are compared as decoded UTF-16,
 * so that escapes, events and surrogate pairs may be cut differently.
 */
final class ReplayDeduplicator {
  private final DeliveredContent delivered;
  private final boolean continues;
  private final Map<DeltaText, RepetitionMatcher> repetitions = new EnumMap<>(DeltaText.class);
  private @Nullable RestartDetector restart;
  private String released = "";
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

  private ReplayDeduplicator(DeliveredContent delivered, boolean continues) {
    this.delivered = delivered;
    this.continues = continues;
  }

  /** Null where nothing is kept. */
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

  /** It was handed the text without the white space at its end, which it may write again. */
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

  /** Whether the client has the beginning of the stream from another provider. */
  boolean continues() {
    return continues;
  }

  /** Whether the provider still has to repeat what the client has. */
  boolean isBehind() {
    return charsToRepeat > 0;
  }

  /** What the client has of its stream; null while it has nothing. */
  @Nullable ResumePoint resumePoint() {
    return delivered.resumePoint();
  }

  /** A chunk goes to the client. */
  void sent(ResumePoint as) {
    delivered.sent(as);
  }

  /** Judges a chunk and restricts it to what is new. */
  Verdict read(ChoiceReader choice) {
    released = "";
    JsonMembers delta = choice.delta();
    Part[] parts = delta == null ? new Part[0] : parts(choice, delta);
    // Some say that they finished in each chunk: beside text that the client has it is no news.
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

  /** A member of a delta. */
  private static final class Part {
    private final Kind kind;
    private final DeltaText text;
    private final String piece;
    private int repeated;

    private enum Kind {
      /** More of a text. */
      TEXT,
      /** A text that stands in the delta under another name, too. */
      DUPLICATE,
      /** What each chunk says. */
      CONSTANT,
      /** What says a text of the delta once more, in parts. */
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

  /** Until another provider continues it, whatever comes first may be a constant. */
  private boolean isConstant(JsonMembers delta, int i) {
    return continues ? delivered.hasConstant(delta, i) : delivered.mayBeConstant(delta, i);
  }

  /** How many chars of a piece the client does not get now; negative: it differs. */
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

  /** It is no new beginning: what was held back is new. */
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

  /** Text that was held back and goes to the client ahead of the chunk. */
  String released() {
    return released;
  }

  /** The same where nothing more comes. */
  String flushHeld() {
    released = "";
    releaseHeld();
    keepReleased();
    return released;
  }

  /** How many chars of a piece are repetition; negative: it differs. */
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

  /** The details of a text of which the client has a part cannot be cut. */
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
