package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.Optional;

/**
 * Parser of the playing time of a FLAC file, from the sample rate and sample count in its first
 * block.
 */
final class FlacLength {
  // Two channels of 24 bits at 96 kHz, compressed by a third.
  private static final int BYTES_PER_SECOND_MOST = 384_000;

  private FlacLength() {}

  static Optional<Duration> of(AudioBytes file) {
    if (!file.is(0, "fLaC")) {
      return Optional.empty();
    }
    long rate = file.bigEndian(18, 3) >> 4;
    long samples = file.bigEndian(21, 5) & 0xf_ffff_ffffL; // 0: unknown
    return rate == 0 || samples == 0
        ? Optional.empty()
        : Optional.of(
            file.atLeast(
                Duration.ofMillis(samples * 1_000 / rate), bytesPerSecondMost(file, rate)));
  }

  /** Returns the highest byte rate: a FLAC is smaller than its samples. */
  private static long bytesPerSecondMost(AudioBytes file, long rate) {
    long channels = 1L + (file.at(20) >> 1 & 7);
    long bits = 1 + (file.bigEndian(20, 2) >> 4 & 31);
    return Math.min(rate * channels * Math.ceilDiv(bits, 8), BYTES_PER_SECOND_MOST);
  }
}
