package dev.tollgate.core.endpoint;

import java.time.Duration;
import java.util.Optional;

/** The length of a FLAC: its first block tells the rate and the number of samples. */
final class FlacLength {
  private static final int BYTES_PER_SECOND_MOST = 192_000;

  private FlacLength() {}

  static Optional<Duration> of(AudioBytes file) {
    if (!file.is(0, "fLaC")) {
      return Optional.empty();
    }
    long rate = file.big(18, 3) >> 4;
    long samples = file.big(21, 5) & 0xf_ffff_ffffL; // 0: unknown
    return rate == 0 || samples == 0
        ? Optional.empty()
        : Optional.of(
            file.atLeast(Duration.ofMillis(samples * 1_000 / rate), BYTES_PER_SECOND_MOST));
  }
}
