package dev.tollgate.core.endpoint;

import java.time.Duration;
import java.util.Optional;

/** The length of a WAV: RIFF chunks of a name and a size, of which {@code fmt} tells the rate. */
final class WavLength {
  private static final int CHUNKS_MAX = 64;
  // Two channels of 16 bits at 48 kHz.
  private static final int BYTES_PER_SECOND_MOST = 192_000;

  private WavLength() {}

  static Optional<Duration> of(AudioBytes file) {
    boolean isWav = (file.is(0, "RIFF") || file.is(0, "RF64")) && file.is(8, "WAVE");
    return isWav ? ofChunks(file) : Optional.empty();
  }

  private static Optional<Duration> ofChunks(AudioBytes file) {
    long bytesPerSecond = 0;
    long sound = 0;
    long at = 12;
    for (int n = 0; n < CHUNKS_MAX && at + 8 <= file.size(); n++) {
      long size = file.little(at + 4, 4);
      if (file.is(at, "fmt ") && at + 24 <= file.size()) {
        bytesPerSecond = rate(file, at + 8);
      } else if (file.is(at, "data")) {
        long rest = file.size() - (at + 8);
        size = size == 0 ? rest : size; // whoever records into a pipe does not know it
        sound += Math.min(size, rest);
      }
      at += 8 + size + (size & 1);
    }
    if (sound == 0 || bytesPerSecond == 0) {
      return Optional.empty();
    }
    Duration length = Duration.ofMillis(Math.ceilDiv(sound * 1_000, bytesPerSecond));
    return Optional.of(file.atLeast(length, BYTES_PER_SECOND_MOST));
  }

  /** The field of its name is what nobody plays by, but that a block may be many samples. */
  private static long rate(AudioBytes file, long at) {
    return switch ((int) file.little(at, 2)) {
      case 1, 3, 6, 7, 0xfffe -> file.little(at + 4, 4) * file.little(at + 12, 2); // a sample each
      default -> file.little(at + 8, 4);
    };
  }
}
