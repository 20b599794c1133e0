package dev.tollgate.core.api.chat;

/**
 * Compares a provider's text with a known text piece by piece, and tracks the position up to which
 * it repeats it. It is not thread-safe: one request uses it on one event loop.
 */
final class RepetitionMatcher {
  private final String known;
  private final boolean mustBeWhole;
  private int at;

  /**
   * @param mustBeWhole true if any difference makes it another answer
   */
  RepetitionMatcher(String known, boolean mustBeWhole) {
    this.known = known;
    this.mustBeWhole = mustBeWhole;
  }

  /** True if the whole text must come before anything else. */
  boolean mustBeWhole() {
    return mustBeWhole;
  }

  /**
   * Returns the number of chars of a piece that continue the repetition; negative if the piece
   * differs.
   */
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
      at = known.length(); // after a difference all text is new
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
