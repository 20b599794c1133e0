package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * An endless text that a seed decides: English mostly, with characters of two, three and four bytes
 * and a JSON escape among them, so that cuts inside of characters happen.
 */
final class SeededWords {
  private static final String[] VOCABULARY =
      bytes(
          "the",
          "gate",
          "opens",
          "when",
          "a",
          "coin",
          "falls",
          "into",
          "its",
          "slot",
          "and",
          "every",
          "token",
          "that",
          "passes",
          "leaves",
          "a",
          "line",
          "in",
          "the",
          "book",
          "naïve",
          "travellers",
          "ask",
          "for",
          "credit",
          "über",
          "the",
          "bridge",
          "日本語",
          "signs",
          "say",
          "pay",
          "first",
          "🙂",
          "then",
          "cross",
          "slowly",
          "\\\"please\\\"",
          "mind",
          "the",
          "step",
          "café",
          "lamps",
          "burn",
          "until",
          "dawn",
          "–",
          "nobody",
          "waits",
          "long",
          "here,",
          "which",
          "is",
          "as",
          "it",
          "should",
          "be.",
          "Отсюда",
          "roads",
          "lead",
          "to",
          "all",
          "towns\\n");

  private final long seed;

  SeededWords(long seed) {
    this.seed = seed;
  }

  /** The n-th word with its leading space (the first has none), escaped for JSON, as bytes. */
  String word(int n) {
    String word = VOCABULARY[(int) (mix(n) >>> 58)];
    return n == 0 ? word : " " + word;
  }

  /** The first {@code count} words. */
  String text(int count) {
    StringBuilder text = new StringBuilder();
    for (int n = 0; n < count; n++) {
      text.append(word(n));
    }
    return text.toString();
  }

  /** A number of 16 hexadecimal digits; another one for each {@code n}. */
  String hex(int n) {
    String digits = Long.toHexString(mix(-1L - n));
    return "0".repeat(16 - digits.length()) + digits;
  }

  /** A number between -1 and 1; another one for each pair. */
  float fraction(int text, int n) {
    return (float) (mix(((long) text << 32) ^ n) >> 40) / (1 << 23);
  }

  /** Scatters seed and index over 64 bits (the finalizer of SplitMix64). */
  private long mix(long n) {
    long z = seed * 0x9E3779B97F4A7C15L + n * 0xD1B54A32D192ED03L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Text as its UTF-8 bytes, one character each. */
  private static String[] bytes(String... words) {
    String[] bytes = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      bytes[i] = new String(words[i].getBytes(UTF_8), ISO_8859_1);
    }
    return bytes;
  }
}
