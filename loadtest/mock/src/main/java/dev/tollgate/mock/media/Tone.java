package dev.tollgate.mock.media;

import java.time.Duration;

/**
 * Sine tone with one channel of 16-bit samples, as input for the audio encoders. One second is
 * stored and repeated to any length.
 */
public final class Tone {
  static final int CHANNELS = 1;
  static final int SAMPLE_BITS = 16;

  private static final int LOUDNESS = 3_000;

  private final short[] second;
  private final int length;

  /**
   * Creates a tone.
   *
   * @param hertz an integer, so that the seconds join without a gap
   */
  public Tone(Duration length, int samplesPerSecond, int hertz) {
    this.second = new short[samplesPerSecond];
    for (int n = 0; n < samplesPerSecond; n++) {
      second[n] = (short) (LOUDNESS * Math.sin(2 * Math.PI * hertz * n / samplesPerSecond));
    }
    this.length = Math.toIntExact(length.toMillis() * samplesPerSecond / 1_000);
  }

  int samplesPerSecond() {
    return second.length;
  }

  /** Returns the number of samples. */
  public int length() {
    return length;
  }

  public short sample(int n) {
    return second[n % second.length];
  }
}
