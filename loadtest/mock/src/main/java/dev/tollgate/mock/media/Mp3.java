package dev.tollgate.mock.media;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** MP3 encoder for silence. It writes layer III frames whose payload is zero. */
public final class Mp3 {
  private static final List<Integer> RATES = List.of(44_100, 48_000, 32_000);
  private static final int KBITS_INDEX = 5; // 64 kbit/s of MPEG-1
  private static final int KBITS_INDEX_LOW = 8; // 64 kbit/s of MPEG-2
  private static final int BITS_PER_SECOND = 64_000;
  private static final int SAMPLES = 1_152;

  private Mp3() {}

  /** True if MP3 frames support this sample rate. */
  public static boolean supports(int samplesPerSecond) {
    return RATES.contains(samplesPerSecond) || RATES.contains(2 * samplesPerSecond);
  }

  /** Returns a file at least as long as {@code length}: the last frame is complete. */
  public static byte[] of(Duration length, int samplesPerSecond) {
    boolean isLow = !RATES.contains(samplesPerSecond);
    int samples = isLow ? SAMPLES / 2 : SAMPLES;
    long all = length.toMillis() * samplesPerSecond / 1_000;
    int frames = Math.toIntExact(Math.max(1, Math.ceilDiv(all, samples)));
    int bytes = samples / 8 * BITS_PER_SECOND / samplesPerSecond;
    ByteBuffer file = ByteBuffer.allocate(frames * bytes);
    for (int n = 0; n < frames; n++) {
      file.putInt(n * bytes, head(isLow, samplesPerSecond));
    }
    return file.array();
  }

  /**
   * Returns a frame header: sync word, version, layer III, no checksum; rates, one channel,
   * original.
   */
  private static int head(boolean isLow, int samplesPerSecond) {
    int mark = isLow ? 0xFFF3 : 0xFFFB;
    int rate = RATES.indexOf(isLow ? 2 * samplesPerSecond : samplesPerSecond);
    int kbits = isLow ? KBITS_INDEX_LOW : KBITS_INDEX;
    return (mark << 16) | (kbits << 12) | (rate << 10) | (0b11 << 6) | (1 << 2);
  }
}
