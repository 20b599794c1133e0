package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Generates endless text derived from a seed. The text is mostly English, with characters of two,
 * three and four bytes and a JSON escape, so that cuts fall inside characters.
 */
final class SeededWords implements ReplyWords {
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

  @Override
  public String word(int n) {
    String word = VOCABULARY[(int) (mix(n) >>> 58)];
    return n == 0 ? word : " " + word;
  }

  /** Returns 16 hexadecimal digits derived from {@code n}. */
  String hex(int n) {
    String digits = Long.toHexString(mix(-1L - n));
    return "0".repeat(16 - digits.length()) + digits;
  }

  /** Returns a number between -1 and 1 derived from the pair. */
  float fraction(int text, int n) {
    return (float) (mix(((long) text << 32) ^ n) >> 40) / (1 << 23);
  }

  /** Mixes seed and index into 64 bits (the finalizer of SplitMix64). */
  private long mix(long n) {
    long z = seed * 0x9E3779B97F4A7C15L + n * 0xD1B54A32D192ED03L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Converts each word to its UTF-8 bytes, one byte per character. */
  private static String[] bytes(String... words) {
    String[] bytes = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      bytes[i] = new String(words[i].getBytes(UTF_8), ISO_8859_1);
    }
    return bytes;
  }
}
