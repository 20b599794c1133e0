package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Estimates of an audio file's playing time: the time that its headers declare, and an upper bound
 * from its size.
 */
public final class AudioLength {
  // Rate of the most compressed usual speech encoding (docs/decisions/money.md#reservations).
  private static final int BYTES_PER_SECOND_LEAST = 4_000;
  // A little above the highest rate of MP3 frames; no usual format has a higher one.
  private static final int BYTES_PER_SECOND_MOST = 72_000;
  private static final Duration MOST = Duration.ofHours(4);
  private static final List<Function<AudioBytes, Optional<Duration>>> KINDS =
      List.of(WavLength::of, FlacLength::of, OggLength::of, Mp4Length::of, FramedAudioLength::of);

  private AudioLength() {}

  /** Returns an upper bound for a file of this size. */
  public static Duration atMost(long sizeBytes) {
    return capped(Duration.ofSeconds(Math.ceilDiv(sizeBytes, BYTES_PER_SECOND_LEAST)));
  }

  /** Returns a lower bound for compressed audio of this size. */
  static Duration atLeast(long sizeBytes) {
    return capped(Duration.ofMillis(sizeBytes * 1_000 / BYTES_PER_SECOND_MOST));
  }

  /** Returns the length that the file declares, or else the upper bound. */
  public static Duration likely(byte[] bytes, int from, int to) {
    return declared(bytes, from, to).orElseGet(() -> atMost(to - from));
  }

  /**
   * Returns the length that the file declares. Leading tags are skipped for all formats, as players
   * do.
   */
  public static Optional<Duration> declared(byte[] bytes, int from, int to) {
    AudioBytes file = AudioTag.skipLeading(new AudioBytes(bytes, from, to));
    return KINDS.stream()
        .flatMap(kind -> kind.apply(file).stream())
        .findFirst()
        .map(AudioLength::capped);
  }

  private static Duration capped(Duration length) {
    return length.compareTo(MOST) > 0 ? MOST : length;
  }
}
