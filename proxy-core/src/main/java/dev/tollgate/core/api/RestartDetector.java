package dev.tollgate.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Notices a provider that was handed the beginning of an answer and begins it anew: what equals
 * that beginning is held back until it is clear. Not thread safe: one request on one loop.
 */
public final class RestartDetector {
  /** So many equal chars are no coincidence, in a text that does not repeat them itself. */
  private static final int CHARS = 24;

  /** Nor are so few, where that is all that was delivered. */
  private static final int CHARS_MIN = 8;

  private final String beginning;
  private String white = "";
  private int matched;
  private int consumed;

  /** What a piece of text shows. */
  public enum Step {
    /** Nothing so far: all of it is held. */
    HELD,
    /** The answer begins anew. */
    RESTARTED,
    /** It does not. */
    OTHER
  }

  private RestartDetector(String beginning) {
    this.beginning = beginning;
  }

  /** Null where the text is too short to tell, or goes on as it began: a refrain, a table. */
  static @Nullable public RestartDetector of(String known) {
    if (known.length() < CHARS_MIN) {
      return null;
    }
    boolean isLong = known.length() >= CHARS;
    String beginning = isLong ? known.substring(0, CHARS) : known;
    String unlikely = isLong ? beginning : known.substring(0, known.length() / 2);
    return known.indexOf(unlikely, 1) < 0 ? new RestartDetector(beginning) : null;
  }

  /** Whether it shows soon if another answer than the rest of this text comes. */
  static boolean isDistinctive(String known) {
    return known.length() >= CHARS || of(known) != null;
  }

  /** White space in front of a new beginning is part of it. */
  public Step take(String piece) {
    int from = matched == 0 ? whiteStart(piece) : 0;
    int count = Math.min(piece.length() - from, left());
    boolean isAlike = beginning.startsWith(piece.substring(from, from + count), matched);
    if (!isAlike || white.length() + from > CHARS) {
      return Step.OTHER;
    }
    white += piece.substring(0, from);
    matched += count;
    consumed = from + count;
    return left() == 0 ? Step.RESTARTED : Step.HELD;
  }

  private int whiteStart(String piece) {
    int at = 0;
    while (!isWhite(beginning.charAt(0)) && at < piece.length() && isWhite(piece.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isWhite(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  /** How many chars of the last piece made it clear that the answer begins anew. */
  public int consumed() {
    return consumed;
  }

  /** How many chars of the text the provider has repeated then. */
  public int length() {
    return beginning.length();
  }

  private int left() {
    return beginning.length() - matched;
  }

  /** The text that is held back. */
  public String held() {
    return white + beginning.substring(0, matched);
  }
}
