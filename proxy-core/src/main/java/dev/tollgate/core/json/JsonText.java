package dev.tollgate.core.json;

import java.nio.charset.StandardCharsets;

/** Decoder of JSON strings, names and numbers in bytes that were validated before. */
final class JsonText {
  private JsonText() {}

  static String raw(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Decodes the bytes between two quotation marks. */
  static String decode(byte[] bytes, int from, int to) {
    int at = backslash(bytes, from, to);
    if (at == to) {
      return raw(bytes, from, to);
    }
    StringBuilder text = new StringBuilder(to - from);
    int run = from;
    while (at < to) {
      text.append(raw(bytes, run, at));
      text.append(escaped(bytes, at));
      run = afterEscape(bytes, at);
      at = backslash(bytes, run, to);
    }
    return text.append(raw(bytes, run, to)).toString();
  }

  /** True if the bytes between two quotation marks decode to the expected text. */
  static boolean is(byte[] bytes, int from, int to, String expected) {
    int length = expected.length();
    if (to - from < length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      byte b = bytes[from + i];
      if (b == '\\' || b < 0) {
        return decode(bytes, from, to).equals(expected);
      }
      if (b != expected.charAt(i)) {
        return false;
      }
    }
    return to - from == length;
  }

  /** True if the bytes between two quotation marks decode to a text with this prefix. */
  static boolean begins(byte[] bytes, int from, int to, String prefix) {
    for (int i = 0; i < prefix.length(); i++) {
      if (from + i == to) {
        return false;
      }
      byte b = bytes[from + i];
      if (b == '\\') {
        return decode(bytes, from, to).startsWith(prefix);
      }
      if (b != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** True if the bytes between two quotation marks are ASCII without escapes. */
  static boolean isPlain(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes[at] == '\\' || bytes[at] < 0) {
        return false;
      }
    }
    return true;
  }

  /** True if plain bytes equal a text, whose letters are small, but for their case. */
  static boolean isFolded(byte[] bytes, int from, int to, String small) {
    if (to - from != small.length()) {
      return false;
    }
    for (int i = 0; i < small.length(); i++) {
      byte b = bytes[from + i];
      if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != small.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static long integer(byte[] bytes, int from, int to, long otherwise) {
    boolean negative = bytes[from] == '-';
    int at = negative ? from + 1 : from;
    long value = 0;
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
        return isDigits(bytes, at, to) ? otherwise : Decimal.integer(bytes, from, to, otherwise);
      }
      value = value * 10 - digit;
    }
    return negative ? value : value == Long.MIN_VALUE ? otherwise : -value;
  }

  /** True if a number has neither a point nor an exponent. */
  static boolean isDigits(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != '.' && (bytes[at] | 0x20) != 'e') {
      at++;
    }
    return at == to;
  }

  private static int backslash(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != '\\') {
      at++;
    }
    return at;
  }

  static int afterEscape(byte[] bytes, int backslash) {
    return backslash + (bytes[backslash + 1] == 'u' ? 6 : 2);
  }

  static char escaped(byte[] bytes, int backslash) {
    byte letter = bytes[backslash + 1];
    return switch (letter) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hexadecimal(bytes, backslash + 2);
      default -> (char) letter;
    };
  }

  private static char hexadecimal(byte[] bytes, int from) {
    int value = 0;
    for (int i = from; i < from + 4; i++) {
      value = 16 * value + Character.digit(bytes[i], 16);
    }
    return (char) value;
  }
}
