package dev.tollgate.bench;

import java.nio.charset.StandardCharsets;

/** What a server said, as far as it fits into a line. */
final class ErrorText {
  static final int BYTES_MAX = 300;

  private ErrorText() {}

  static String shortened(byte[] bytes, int from, int to) {
    int end = Math.min(to, from + BYTES_MAX);
    return new String(bytes, from, end - from, StandardCharsets.UTF_8)
        .replaceAll("[\\s\\p{Cntrl}]+", " ")
        .strip();
  }
}
