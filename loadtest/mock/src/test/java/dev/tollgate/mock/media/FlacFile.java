package dev.tollgate.mock.media;

import dev.tollgate.core.testkit.BitReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * FLAC file, decoded strictly by its specification; all checksums must be right.
 *
 * @param samples of its one channel
 */
record FlacFile(int samplesPerSecond, ShortBuffer samples) {

  static FlacFile decode(byte[] file) throws Exception {
    BitReader head = new BitReader(file, 0);
    require(head.bits(32) == 0x664c6143, "not fLaC");
    require(head.bits(8) == 0x80 && head.bits(24) == 34, "not one block of metadata");
    head.bits(16);
    int block = (int) head.bits(16);
    head.bits(48);
    int rate = (int) head.bits(20);
    require(head.bits(3) == 0 && head.bits(5) == 15, "not one channel of 16 bits");
    short[] samples = new short[(int) head.bits(36)];
    byte[] md5 = Arrays.copyOfRange(file, 26, 42);
    int at = 42;
    int got = 0;
    for (int frame = 0; at < file.length; frame++) {
      at = frame(file, at, frame, samples, got);
      got += Math.min(block, samples.length - got);
    }
    require(got == samples.length, "samples are missing");
    ByteBuffer plain = ByteBuffer.allocate(2 * got).order(ByteOrder.LITTLE_ENDIAN);
    plain.asShortBuffer().put(samples);
    byte[] sum = MessageDigest.getInstance("MD5").digest(plain.array());
    require(Arrays.equals(md5, sum), "another MD5");
    return new FlacFile(rate, ShortBuffer.wrap(samples));
  }

  /** Decodes a frame; returns the offset of the next one. */
  private static int frame(byte[] file, int from, int number, short[] into, int at) {
    BitReader bits = new BitReader(file, from);
    require(bits.bits(16) == 0xfff8, "no frame of a fixed size");
    require(bits.bits(8) == 0x70 && bits.bits(8) == 0x08, "another form");
    require(character(bits) == number, "frames out of order");
    int samples = (int) bits.bits(16) + 1;
    int behindHead = bits.align();
    require(bits.bits(8) == crc(file, from, behindHead, 0x07, 8), "another CRC of the head");
    int kind = (int) bits.bits(8) >> 1;
    if (kind == 1) {
      for (int n = 0; n < samples; n++) {
        into[at + n] = (short) bits.signed(16);
      }
    } else {
      require(kind == 10, "a subframe of kind " + kind);
      predicted(bits, samples, into, at);
    }
    int behind = bits.align();
    require(bits.bits(16) == crc(file, from, behind, 0x8005, 16), "another CRC of the frame");
    return behind + 2;
  }

  private static void predicted(BitReader bits, int samples, short[] into, int at) {
    into[at] = (short) bits.signed(16);
    into[at + 1] = (short) bits.signed(16);
    require(bits.bits(6) == 0, "not one partition of Rice's code");
    int rice = (int) bits.bits(4);
    for (int n = 2; n < samples; n++) {
      long folded = ((long) bits.unary() << rice) | bits.bits(rice);
      long left = (folded >>> 1) ^ -(folded & 1);
      into[at + n] = (short) (left + 2 * into[at + n - 1] - into[at + n - 2]);
    }
  }

  private static int character(BitReader bits) {
    int first = (int) bits.bits(8);
    int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : 2;
    int value = first & (more == 0 ? 0x7f : 0x3f >> more);
    for (int i = 0; i < more; i++) {
      value = (value << 6) | ((int) bits.bits(8) & 0x3f);
    }
    return value;
  }

  /** Computes the CRC by polynomial division, bit by bit. */
  private static long crc(byte[] file, int from, int to, int polynomial, int width) {
    long rest = 0;
    for (int i = 8 * from; i < 8 * to + width; i++) {
      int bit = i < 8 * to ? (file[i >> 3] >> (7 - (i & 7))) & 1 : 0;
      rest = (rest << 1) | bit;
      if (((rest >> width) & 1) != 0) {
        rest ^= (1L << width) | polynomial;
      }
    }
    return rest;
  }

  private static void require(boolean isSo, String otherwise) {
    if (!isSo) {
      throw new AssertionError(otherwise);
    }
  }
}
