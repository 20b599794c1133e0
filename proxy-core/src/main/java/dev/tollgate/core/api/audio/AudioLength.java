package dev.tollgate.core.api.audio;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** How long an audio file is: at most, and most likely where its provider does not say. */
public final class AudioLength {
  // The thinnest usual speech encoding (docs/decisions/money.md#reservations).
  private static final int BYTES_PER_SECOND_LEAST = 4_000;
  // A little more than the most of an MP3's frames: what players take has no usual kind above it.
  private static final int BYTES_PER_SECOND_MOST = 72_000;
  private static final Duration MOST = Duration.ofHours(4);
  private static final List<Function<AudioBytes, Optional<Duration>>> KINDS =
      List.of(WavLength::of, FlacLength::of, OggLength::of, Mp4Length::of, FramedAudioLength::of);

  private AudioLength() {}

  /** An upper bound for a file of so many bytes. */
  public static Duration atMost(long sizeBytes) {
    return capped(Duration.ofSeconds(Math.ceilDiv(sizeBytes, BYTES_PER_SECOND_LEAST)));
  }

  /** A lower bound for compressed sound of so many bytes. */
  static Duration atLeast(long sizeBytes) {
    return capped(Duration.ofMillis(sizeBytes * 1_000 / BYTES_PER_SECOND_MOST));
  }

  /** What the file itself says, where it is of a kind that does; else the upper bound. */
  public static Duration likely(byte[] bytes, int from, int to) {
    return declared(bytes, from, to).orElseGet(() -> atMost(to - from));
  }

  /** What the file itself says. Players pass over tags ahead of any kind. */
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
