package dev.tollgate.core.api.chat;

/** How far a provider has repeated one text. Not thread safe: one request on one loop. */
final class RepetitionMatcher {
  private final String known;
  private final boolean mustBeWhole;
  private int at;

  /**
   * @param mustBeWhole whether anything else is another answer
   */
  RepetitionMatcher(String known, boolean mustBeWhole) {
    this.known = known;
    this.mustBeWhole = mustBeWhole;
  }

  /** Whether the text must come before anything else does. */
  boolean mustBeWhole() {
    return mustBeWhole;
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
