package dev.tollgate.core.api.audio;

/**
 * Parser of the playing time of an Opus packet, whose first byte declares the length and the number
 * of its frames.
 */
final class OpusPacket {
  /** Samples per second of all Opus audio, whatever the recording's rate. */
  static final int RATE = 48_000;

  private static final int[] SPEECH_SAMPLES = {480, 960, 1_920, 2_880};
  private static final int[] BOTH_SAMPLES = {480, 960};
  private static final int[] MUSIC_SAMPLES = {120, 240, 480, 960};
  private static final int FIRST_OF_BOTH = 12;
  private static final int FIRST_OF_MUSIC = 16;

  private OpusPacket() {}

  /** Returns the samples of the packet at this offset; 0 for the stream's header packets. */
  static int samples(AudioBytes file, long at) {
    if (file.is(at, "OpusHead") || file.is(at, "OpusTags")) {
      return 0;
    }
    int kind = file.at(at) >> 3;
    int frames =
        switch (file.at(at) & 3) {
          case 0 -> 1;
          case 1, 2 -> 2;
          default -> file.at(at + 1) & 63;
        };
    return frames * frame(kind);
  }

  private static int frame(int kind) {
    if (kind < FIRST_OF_BOTH) {
      return SPEECH_SAMPLES[kind & 3];
    }
    return kind < FIRST_OF_MUSIC ? BOTH_SAMPLES[kind & 1] : MUSIC_SAMPLES[kind & 3];
  }
}
