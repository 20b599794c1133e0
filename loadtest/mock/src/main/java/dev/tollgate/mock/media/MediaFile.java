package dev.tollgate.mock.media;

import java.util.Optional;

/**
 * Output file of a mock video or music job, whose bytes are generated on demand.
 *
 * @param videoSize size of a video; empty for music
 */
record MediaFile(String contentType, Optional<VideoSize> videoSize) {
  private static final int HERTZ_LOWEST = 220;
  private static final int SAMPLES_USUAL = 24_000;

  /** Returns the file of a job, without generating its bytes. */
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

  /** Generates the bytes; equal specs give equal bytes. */
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
