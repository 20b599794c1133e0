package dev.tollgate.server.mock.media;

import java.util.Optional;

/**
 * A file that was made.
 *
 * @param screen empty: of sound there is none
 */
record MediaFile(String contentType, Optional<Screen> screen) {
  private static final int HERTZ_LOWEST = 220;
  private static final int SAMPLES_USUAL = 24_000;

  /** What is told of the file before it is fetched. */
  static MediaFile of(MediaWish wish) {
    if (wish.video()) {
      return new MediaFile(
          "video/mp4", Optional.of(Screen.of(wish.resolution(), wish.aspectRatio())));
    }
    String type =
        switch (wish.format()) {
          case "wav" -> "audio/wav";
          case "flac" -> "audio/flac";
          default -> "audio/mpeg";
        };
    return new MediaFile(type, Optional.empty());
  }

  /** Its bytes, the same for the same wish. */
  byte[] bytes(MediaWish wish) {
    int kind = wish.prompt().hashCode();
    if (screen.isPresent()) {
      return Mp4.of(wish.length(), screen.get(), kind);
    }
    int samples = wish.samplesPerSecond();
    int hertz = HERTZ_LOWEST + Math.floorMod(kind, HERTZ_LOWEST);
    return switch (wish.format()) {
      case "wav" -> Wav.of(new Tone(wish.length(), samples, hertz));
      case "flac" -> Flac.of(new Tone(wish.length(), samples, hertz));
      default -> Mp3.of(wish.length(), Mp3.takes(samples) ? samples : SAMPLES_USUAL);
    };
  }
}
