package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonChars;

/** Base64 of RFC 4648, section 4; padding may be left out, but not be wrong. */
public final class Base64Text {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final boolean[] DIGITS = new boolean[JsonChars.OTHER + 1];

  static {
    ALPHABET.chars().forEach(digit -> DIGITS[digit] = true);
  }

  private Base64Text() {}

  /** Whether the characters that are left are that. */
  public static boolean isValid(JsonChars chars) {
    long digits = 0;
    int c = chars.next();
    for (; c >= 0 && DIGITS[c]; c = chars.next()) {
      digits++;
    }
    int padding = 0;
    for (; c == '='; c = chars.next()) {
      padding++;
    }
    int last = (int) (digits % 4);
    boolean isPadded = last > 1 && padding == 4 - last;
    return c == JsonChars.END && last != 1 && (padding == 0 || isPadded);
  }
}
