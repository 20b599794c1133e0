package dev.tollgate.core.http;

import java.nio.charset.StandardCharsets;

/** Set of frequent words in HTTP heads, which are returned for equal bytes without a new String. */
final class InternedStrings {
  private final String[] known;

  InternedStrings(String... known) {
    this.known = known;
  }

  /** Returns the bytes as text: the shared String if it is one of the words. */
  String text(byte[] bytes, int from, int to) {
    for (String word : known) {
      if (word.length() == to - from && is(bytes, from, word)) {
        return word;
      }
    }
    return decode(bytes, from, to);
  }

  static String decode(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /** True if the bytes start with {@code lowerCase}, ignoring case. */
  static boolean startsWith(byte[] bytes, int from, int to, String lowerCase) {
    if (to - from < lowerCase.length()) {
      return false;
    }
    for (int i = 0; i < lowerCase.length(); i++) {
      if (Grammar.lower(bytes[from + i]) != lowerCase.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean is(byte[] bytes, int from, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (bytes[from + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
