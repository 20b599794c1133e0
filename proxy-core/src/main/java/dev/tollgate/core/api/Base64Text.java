package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonChars;

/**
 * Validator of base64 text (RFC 4648, section 4). Padding is optional; wrong padding is an error.
 */
public final class Base64Text {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final boolean[] DIGITS = new boolean[JsonChars.OTHER + 1];

  static {
    ALPHABET.chars().forEach(digit -> DIGITS[digit] = true);
  }

  private Base64Text() {}

  /** True if the remaining characters are valid base64. */
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
