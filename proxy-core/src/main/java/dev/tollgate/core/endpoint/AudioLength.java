package dev.tollgate.core.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.Optional;

/** How long an audio file is: at most, and most likely where its provider does not say. */
final class AudioLength {
  // The thinnest speech that is usual (DECISIONS 8).
  private static final int BYTES_PER_SECOND_LEAST = 4_000;
  private static final Duration MOST = Duration.ofHours(4);
  private static final int CHUNKS_MAX = 64;

  private AudioLength() {}

  /** An upper bound for a file of so many bytes. */
  static Duration atMost(long sizeBytes) {
    Duration thinnest = Duration.ofSeconds(Math.ceilDiv(sizeBytes, BYTES_PER_SECOND_LEAST));
    return thinnest.compareTo(MOST) > 0 ? MOST : thinnest;
  }

  /** What the file itself says, where it is a WAV; else the upper bound. */
  static Duration likely(byte[] bytes, int from, int to) {
    return ofWav(bytes, from, to).orElseGet(() -> atMost(to - from));
  }

  /** RIFF: chunks of a name and a length; {@code fmt} says how many bytes a second has. */
  private static Optional<Duration> ofWav(byte[] bytes, int from, int to) {
    if (to - from < 12 || !is(bytes, from, "RIFF") || !is(bytes, from + 8, "WAVE")) {
      return Optional.empty();
    }
    long bytesPerSecond = 0;
    long at = from + 12L;
    for (int n = 0; n < CHUNKS_MAX && at + 8 <= to; n++) {
      int chunk = (int) at;
      long size = number(bytes, chunk + 4, 4);
      if (is(bytes, chunk, "fmt ") && chunk + 24 <= to) {
        // Not the field of its name, which nobody plays by.
        bytesPerSecond = number(bytes, chunk + 12, 4) * number(bytes, chunk + 20, 2);
      } else if (is(bytes, chunk, "data") && bytesPerSecond > 0) {
        long here = Math.min(size, to - (at + 8)); // while it is recorded, the length is unknown
        return Optional.of(Duration.ofMillis(Math.ceilDiv(here * 1_000, bytesPerSecond)));
      }
      at += 8 + size + (size & 1);
    }
    return Optional.empty();
  }

  private static boolean is(byte[] bytes, int at, String name) {
    return new String(bytes, at, 4, US_ASCII).equals(name);
  }

  private static long number(byte[] bytes, int at, int size) {
    long number = 0;
    for (int i = size - 1; i >= 0; i--) {
      number = number << 8 | (bytes[at + i] & 0xff);
    }
    return number;
  }
}
