package dev.tollgate.bench;

import java.nio.charset.StandardCharsets;

/** Shortens the text of an error response to one line, for the report. */
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
