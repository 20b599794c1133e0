package dev.tollgate.mock.media;

import java.util.Optional;

/**
 * A file that was made.
 *
 * @param videoSize empty: of sound there is none
 */
record MediaFile(String contentType, Optional<VideoSize> videoSize) {
  private static final int HERTZ_LOWEST = 220;
  private static final int SAMPLES_USUAL = 24_000;

  /** What is told of the file before it is fetched. */
  static MediaFile of(MediaJobSpec spec) {
    if (spec.video()) {
      return new MediaFile(
          "video/mp4", Optional.of(VideoSize.of(spec.resolution(), spec.aspectRatio())));
    }
    String type =
        switch (spec.format()) {
          case "wav" -> "audio/wav";
          case "flac" -> "audio/flac";
          default -> "audio/mpeg";
        };
    return new MediaFile(type, Optional.empty());
  }

  /** Its bytes, the same for the same wish. */
  byte[] bytes(MediaJobSpec spec) {
    int kind = spec.prompt().hashCode();
    if (videoSize.isPresent()) {
      return Mp4.of(spec.length(), videoSize.get(), kind);
    }
    int samples = spec.samplesPerSecond();
    int hertz = HERTZ_LOWEST + Math.floorMod(kind, HERTZ_LOWEST);
    return switch (spec.format()) {
      case "wav" -> Wav.of(new Tone(spec.length(), samples, hertz));
      case "flac" -> Flac.of(new Tone(spec.length(), samples, hertz));
      default -> Mp3.of(spec.length(), Mp3.supports(samples) ? samples : SAMPLES_USUAL);
    };
  }
}
