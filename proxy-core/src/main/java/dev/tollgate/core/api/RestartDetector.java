package dev.tollgate.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Detects that a provider starts the answer over instead of continuing from the beginning that it
 * was given as a prefill. Text that equals the known beginning is held back until the case is
 * decided. It is not thread-safe: one request uses it on one event loop.
 */
public final class RestartDetector {
  /** Number of equal chars that are no coincidence, in a text that does not repeat them itself. */
  private static final int CHARS = 24;

  /** Lower bound of that number, which applies if no more text was delivered. */
  private static final int CHARS_MIN = 8;

  private final String beginning;
  private String white = "";
  private int matched;
  private int consumed;

  /** State of the detection after one piece of the provider's text. */
  public enum Step {
    /** The case is undecided, and the whole piece is held back. */
    HELD,
    /** The answer starts over. */
    RESTARTED,
    /** The answer continues. */
    OTHER
  }

  private RestartDetector(String beginning) {
    this.beginning = beginning;
  }

  /**
   * Returns a detector; null if the text is too short, or repeats its own beginning, as refrains
   * and tables do.
   */
  static @Nullable public RestartDetector of(String known) {
    if (known.length() < CHARS_MIN) {
      return null;
    }
    boolean isLong = known.length() >= CHARS;
    String beginning = isLong ? known.substring(0, CHARS) : known;
    String unlikely = isLong ? beginning : known.substring(0, known.length() / 2);
    return known.indexOf(unlikely, 1) < 0 ? new RestartDetector(beginning) : null;
  }

  /** True if the text is long enough to notice soon that another answer comes. */
  static boolean isDistinctive(String known) {
    return known.length() >= CHARS || of(known) != null;
  }

  /** Reads a piece of text. White space before a repeated beginning is part of it. */
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

  /** Returns the number of chars of the last piece that were needed to detect the restart. */
  public int consumed() {
    return consumed;
  }

  /** Returns the number of chars of the known text that the provider has repeated. */
  public int length() {
    return beginning.length();
  }

  private int left() {
    return beginning.length() - matched;
  }

  /** Returns the held text. */
  public String held() {
    return white + beginning.substring(0, matched);
  }
}
