package dev.tollgate.core.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Notices a provider that was handed the beginning of an answer and begins it anew: what equals
 * that beginning is held back until it is clear. Not thread safe: one request on one loop.
 */
final class Restart {
  /** So many equal chars are no coincidence, in a text that does not repeat them itself. */
  static final int CHARS = 24;

  private final String beginning;
  private int matched;

  /** What a piece of text shows. */
  enum Step {
    /** Nothing so far: all of it is held. */
    HELD,
    /** The answer begins anew. */
    ANEW,
    /** It does not. */
    OTHER
  }

  private Restart(String beginning) {
    this.beginning = beginning;
  }

  /** Null where the text is too short to tell, or goes on as it began: a refrain, a table. */
  static @Nullable Restart of(String known) {
    if (known.length() < CHARS) {
      return null;
    }
    String beginning = known.substring(0, CHARS);
    return known.indexOf(beginning, 1) < 0 ? new Restart(beginning) : null;
  }

  Step take(String piece) {
    int count = Math.min(piece.length(), left());
    if (!beginning.startsWith(piece.substring(0, count), matched)) {
      return Step.OTHER;
    }
    matched += count;
    return left() == 0 ? Step.ANEW : Step.HELD;
  }

  /** How many chars more make it clear. */
  int left() {
    return CHARS - matched;
  }

  /** The text that is held back. */
  String held() {
    return beginning.substring(0, matched);
  }
}
