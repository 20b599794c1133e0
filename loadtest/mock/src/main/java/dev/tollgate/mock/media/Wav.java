package dev.tollgate.mock.media;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** WAV encoder for uncompressed samples of a tone. */
public final class Wav {
  private static final int HEAD_BYTES = 44;
  private static final int SAMPLE_BYTES = Tone.SAMPLE_BITS / 8;

  private Wav() {}

  public static byte[] of(Tone tone) {
    int bytes = tone.length() * SAMPLE_BYTES;
    int rate = tone.samplesPerSecond();
    ByteBuffer file = ByteBuffer.allocate(HEAD_BYTES + bytes).order(ByteOrder.LITTLE_ENDIAN);
    file.put("RIFF".getBytes(US_ASCII)).putInt(HEAD_BYTES - 8 + bytes);
    file.put("WAVEfmt ".getBytes(US_ASCII)).putInt(16).putShort((short) 1);
    file.putShort((short) Tone.CHANNELS).putInt(rate).putInt(rate * SAMPLE_BYTES);
    file.putShort((short) SAMPLE_BYTES).putShort((short) Tone.SAMPLE_BITS);
    file.put("data".getBytes(US_ASCII)).putInt(bytes);
    for (int n = 0; n < tone.length(); n++) {
      file.putShort(tone.sample(n));
    }
    return file.array();
  }
}
