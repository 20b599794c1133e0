package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonItems;

/**
 * White space of texts, as providers see it: they refuse a text of white space alone, and some also
 * white space at the end of an answer that is to be continued.
 */
public final class WhiteSpace {
  private static final char NEXT_LINE = 0x85;

  private WhiteSpace() {}

  /** True if a string value is empty or white space alone. */
  public static boolean isBlank(JsonItems from, int i) {
    for (int at = from.valueStart(i) + 1; at < from.valueEnd(i) - 1; at++) {
      byte b = from.bytes()[at];
      if (b == '\\' || b < 0) {
        return stripTrailing(from.string(i)).isEmpty();
      }
      if (b != ' ') {
        return false;
      }
    }
    return true;
  }

  /** Returns a text without the white space at its end. */
  public static String stripTrailing(String text) {
    int end = text.length();
    while (end > 0 && isWhite(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end);
  }

  private static boolean isWhite(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == NEXT_LINE;
  }
}
