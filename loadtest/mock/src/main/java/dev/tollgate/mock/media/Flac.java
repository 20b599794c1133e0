package dev.tollgate.mock.media;

import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * FLAC encoder for generated sounds. It uses fixed prediction of order 2, with the residual in a
 * Rice code.
 */
public final class Flac {
  private static final int BLOCK_SAMPLES = 4_096;
  private static final int ORDER = 2;
  private static final int FIXED_SUBFRAME = 8 + ORDER;
  private static final int RICE_BITS_MAX = 14;
  private static final int CRC8 = 0x07;
  private static final int CRC16 = 0x8005;

  private final Tone tone;
  private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
  private int frameBytesMin = Integer.MAX_VALUE;
  private int frameBytesMax;

  private Flac(Tone tone) {
    this.tone = tone;
  }

  public static byte[] of(Tone tone) {
    Flac flac = new Flac(tone);
    int number = 0;
    for (int from = 0; from < tone.length(); from += BLOCK_SAMPLES) {
      byte[] frame = flac.frame(number++, from, Math.min(BLOCK_SAMPLES, tone.length() - from));
      flac.frameBytesMin = Math.min(flac.frameBytesMin, frame.length);
      flac.frameBytesMax = Math.max(flac.frameBytesMax, frame.length);
      flac.frames.writeBytes(frame);
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(flac.head());
    file.writeBytes(flac.frames.toByteArray());
    return file.toByteArray();
  }

  /** Returns the marker and the one mandatory metadata block, STREAMINFO. */
  private byte[] head() {
    return new BitWriter()
        .text("fLaC")
        .put(1, 1) // the last block of metadata
        .put(0, 7)
        .put(34, 24)
        .put(BLOCK_SAMPLES, 16)
        .put(BLOCK_SAMPLES, 16)
        .put(Math.min(frameBytesMin, frameBytesMax), 24)
        .put(frameBytesMax, 24)
        .put(tone.samplesPerSecond(), 20)
        .put(Tone.CHANNELS - 1, 3)
        .put(Tone.SAMPLE_BITS - 1, 5)
        .put(0, 4) // the upper bits of a 36-bit count; 32 bits suffice
        .put(tone.length(), 32)
        .bytes(md5())
        .toBytes();
  }

  /** Returns the MD5 of all samples in little-endian order. */
  private byte[] md5() {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      for (int n = 0; n < tone.length(); n++) {
        digest.update((byte) tone.sample(n));
        digest.update((byte) (tone.sample(n) >> 8));
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has MD5", e);
    }
  }

  private byte[] frame(int number, int from, int samples) {
    BitWriter bits = new BitWriter();
    bits.put(0b11_1111_1111_1110, 14).put(0, 2); // sync code, fixed block size
    bits.put(7, 4).put(0, 4); // 16-bit block size follows; sample rate from STREAMINFO
    bits.put(Tone.CHANNELS - 1, 4).put(4, 3).put(0, 1); // 16 bits
    number(bits, number);
    bits.put(samples - 1, 16);
    bits.put(crc(bits.toBytes(), CRC8, 8), 8);
    subframe(bits, from, samples);
    bits.align();
    bits.put(crc(bits.toBytes(), CRC16, 16), 16);
    return bits.toBytes();
  }

  /** Writes a frame number, encoded like a UTF-8 character. */
  private static void number(BitWriter bits, int number) {
    if (number < 0x80) {
      bits.put(number, 8);
    } else if (number < 0x800) {
      bits.put(0xc0 | (number >> 6), 8).put(0x80 | (number & 0x3f), 8);
    } else {
      bits.put(0xe0 | (number >> 12), 8).put(0x80 | ((number >> 6) & 0x3f), 8);
      bits.put(0x80 | (number & 0x3f), 8);
    }
  }

  private void subframe(BitWriter bits, int from, int samples) {
    if (samples <= ORDER) {
      bits.put(0, 1).put(1, 6).put(0, 1); // verbatim
      for (int n = 0; n < samples; n++) {
        bits.put(tone.sample(from + n), Tone.SAMPLE_BITS);
      }
      return;
    }
    bits.put(0, 1).put(FIXED_SUBFRAME, 6).put(0, 1);
    for (int n = 0; n < ORDER; n++) {
      bits.put(tone.sample(from + n), Tone.SAMPLE_BITS);
    }
    int[] left = residual(from, samples);
    int rice = riceBits(left);
    bits.put(0, 2).put(0, 4).put(rice, 4); // one partition
    for (int each : left) {
      int folded = (each << 1) ^ (each >> 31);
      bits.unary(folded >>> rice).put(folded, rice);
    }
  }

  private int[] residual(int from, int samples) {
    int[] left = new int[samples - ORDER];
    for (int n = 0; n < left.length; n++) {
      int at = from + n;
      left[n] = tone.sample(at + 2) - 2 * tone.sample(at + 1) + tone.sample(at);
    }
    return left;
  }

  /** Returns a Rice parameter of about the bits of the mean residual. */
  private static int riceBits(int[] left) {
    long sum = 0;
    for (int each : left) {
      sum += Math.abs(each);
    }
    long mean = sum / left.length;
    return Math.min(RICE_BITS_MAX, 64 - Long.numberOfLeadingZeros(mean));
  }

  private static int crc(byte[] bytes, int polynomial, int width) {
    int top = 1 << (width - 1);
    int crc = 0;
    for (byte each : bytes) {
      crc ^= (each & 0xff) << (width - 8);
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & top) != 0 ? (crc << 1) ^ polynomial : crc << 1;
      }
    }
    return crc & ((top << 1) - 1);
  }
}
