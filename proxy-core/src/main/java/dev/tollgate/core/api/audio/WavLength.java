package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.Optional;

/**
 * Parser of the playing time of a WAV file: RIFF chunks with a name and a size, of which {@code
 * fmt} declares the rate.
 */
final class WavLength {
  private static final int CHUNKS_MAX = 4_096;
  // MP3 in a WAV usually has a lower rate, and no format that is compressed more has a higher one.
  private static final int BYTES_PER_SECOND_MOST = 24_000;

  private final AudioBytes file;
  private long bytesPerSecond;
  private boolean isExact;
  private long sound;

  private WavLength(AudioBytes file) {
    this.file = file;
  }

  static Optional<Duration> of(AudioBytes file) {
    boolean isWav = (file.is(0, "RIFF") || file.is(0, "RF64")) && file.is(8, "WAVE");
    return isWav ? new WavLength(file).declared() : Optional.empty();
  }

  private Optional<Duration> declared() {
    boolean isWalked = walks();
    if (!isWalked || sound == 0 || bytesPerSecond == 0) {
      return Optional.empty();
    }
    Duration length = Duration.ofMillis(Math.ceilDiv(sound * 1_000, bytesPerSecond));
    return Optional.of(isExact ? length : file.atLeast(length, BYTES_PER_SECOND_MOST));
  }

  /**
   * Walks the chunks; players take the first of several rates. Returns false if there are more
   * chunks than any file has.
   */
  private boolean walks() {
    long at = 12;
    for (int n = 0; n < CHUNKS_MAX && at + 8 <= file.size(); n++) {
      long size = file.littleEndian(at + 4, 4);
      if (file.is(at, "fmt ") && at + 24 <= file.size() && bytesPerSecond == 0) {
        format(at + 8);
      } else if (file.is(at, "data")) {
        long rest = file.size() - (at + 8);
        size = size == 0 ? rest : size; // unknown to a program that records into a pipe
        sound += Math.min(size, rest);
      }
      at += 8 + size + (size & 1);
    }
    return at + 8 > file.size();
  }

  /**
   * Reads the format. The byte rate is ignored if the length of a sample is known, as players do.
   */
  private void format(long at) {
    int tag = (int) file.littleEndian(at, 2);
    boolean isExtended = tag == 0xfffe;
    long channels = file.littleEndian(at + 2, 2);
    long samples = channels * file.littleEndian(at + 4, 4);
    long declaredRate = file.littleEndian(at + 8, 4);
    switch (isExtended ? (int) file.littleEndian(at + 24, 2) : tag) {
      case 1, 3, 6, 7 -> {
        isExact = true;
        bytesPerSecond = samples * Math.ceilDiv(file.littleEndian(at + 14, 2), 8);
      }
      case 2, 17, 49 -> {
        isExact = true; // four bits or fewer a sample, and the block headers
        bytesPerSecond = Math.min(declaredRate, samples * 9 / 16);
      }
      default -> bytesPerSecond = declaredRate;
    }
  }
}
