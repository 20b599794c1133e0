package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Generates playable audio in pieces of a twentieth of a second. Strings hold one byte per
 * character.
 */
final class AudioSamples {
  static final int PIECES_PER_SECOND = 20;

  private static final int SAMPLES_PER_SECOND = 24_000;
  private static final int SAMPLES = SAMPLES_PER_SECOND / PIECES_PER_SECOND;
  private static final int SAMPLE_BYTES = 2;
  private static final double HERTZ = 440;
  private static final int LOUDNESS = 3_000;

  // MPEG-2, layer III, 64 kbit/s, 24 kHz, one channel; an all-zero payload is silence.
  private static final int FRAME_HEAD = 0xFFF384C4;
  private static final int FRAME_BYTES = 192;
  private static final int FRAMES = 2;

  private AudioSamples() {}

  /**
   * Returns the content type of a requested format; formats that are expensive to encode are sent
   * as WAV.
   */
  static String contentType(String format) {
    return switch (format) {
      case "mp3", "" -> "audio/mpeg";
      case "pcm" -> "audio/pcm";
      default -> "audio/wav";
    };
  }

  /** Returns {@code count} pieces. The first one starts with the header of the whole file. */
  static List<String> pieces(String format, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            n ->
                switch (format) {
                  case "mp3", "" -> silence();
                  case "pcm" -> tone(n);
                  default -> (n == 0 ? head(count) : "") + tone(n);
                })
        .toList();
  }

  private static String silence() {
    ByteBuffer frames = ByteBuffer.allocate(FRAMES * FRAME_BYTES);
    for (int n = 0; n < FRAMES; n++) {
      frames.putInt(n * FRAME_BYTES, FRAME_HEAD);
    }
    return latin(frames);
  }

  private static String tone(int piece) {
    ByteBuffer samples = ByteBuffer.allocate(SAMPLES * SAMPLE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int n = 0; n < SAMPLES; n++) {
      double seconds = (piece * SAMPLES + n) / (double) SAMPLES_PER_SECOND;
      samples.putShort((short) (LOUDNESS * Math.sin(2 * Math.PI * HERTZ * seconds)));
    }
    return latin(samples);
  }

  private static String head(int pieces) {
    int bytes = pieces * SAMPLES * SAMPLE_BYTES;
    ByteBuffer head = ByteBuffer.allocate(44).order(ByteOrder.LITTLE_ENDIAN);
    head.put("RIFF".getBytes(ISO_8859_1)).putInt(36 + bytes).put("WAVE".getBytes(ISO_8859_1));
    head.put("fmt ".getBytes(ISO_8859_1)).putInt(16).putShort((short) 1).putShort((short) 1);
    head.putInt(SAMPLES_PER_SECOND).putInt(SAMPLES_PER_SECOND * SAMPLE_BYTES);
    head.putShort((short) SAMPLE_BYTES).putShort((short) (8 * SAMPLE_BYTES));
    head.put("data".getBytes(ISO_8859_1)).putInt(bytes);
    return latin(head);
  }

  private static String latin(ByteBuffer bytes) {
    byte[] all = new byte[bytes.capacity()];
    bytes.get(0, all);
    return new String(all, ISO_8859_1);
  }

  /** Returns the length of a WAV file of this size, in our sample format. */
  static double seconds(int bytes) {
    return Math.max(1, Math.ceilDiv(bytes, SAMPLES_PER_SECOND * SAMPLE_BYTES));
  }
}
