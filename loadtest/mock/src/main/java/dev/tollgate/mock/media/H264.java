package dev.tollgate.mock.media;

import java.io.ByteArrayOutputStream;

/**
 * H.264 encoder for pictures of one flat colour, in the widely supported baseline profile. The
 * first macroblock of a key picture is uncompressed (I_PCM); all others are predicted from their
 * neighbours. The pictures between two key pictures skip all macroblocks.
 */
final class H264 {
  private static final int SPS = 0x67;
  private static final int PPS = 0x68;
  private static final int KEY_PICTURE = 0x65;
  private static final int PICTURE = 0x41;
  private static final int PROFILE_BASELINE = 66;
  private static final int BLOCK = 16;
  private static final int LUMA_SAMPLES = BLOCK * BLOCK;
  private static final int CHROMA_SAMPLES = LUMA_SAMPLES / 4;
  private static final int FRAME_NUMBER_BITS = 4;

  // Macroblock types of an intra slice, and slice types.
  private static final int I_PCM = 25;
  private static final int INTRA_PREDICTED = 3;
  private static final int SLICES_OF_KEY = 7;
  private static final int SLICES_OF_OTHERS = 5;

  private final VideoSize videoSize;
  private final int blocksWide;
  private final int blocksHigh;

  H264(VideoSize videoSize) {
    this.videoSize = videoSize;
    this.blocksWide = Math.ceilDiv(videoSize.width(), BLOCK);
    this.blocksHigh = Math.ceilDiv(videoSize.height(), BLOCK);
  }

  /** Colour as luma and two chroma values, each from 16 to 235. */
  record Colour(int y, int cb, int cr) {}

  /** Returns the level, which limits the picture size. */
  int level() {
    int blocks = blocksWide * blocksHigh;
    return blocks <= 1_620 ? 30 : blocks <= 3_600 ? 31 : blocks <= 8_192 ? 40 : 52;
  }

  /** Returns the sequence parameter set. */
  byte[] sequence() {
    int right = blocksWide * BLOCK - videoSize.width();
    int bottom = blocksHigh * BLOCK - videoSize.height();
    BitWriter bits = new BitWriter();
    bits.put(PROFILE_BASELINE, 8).put(0xc0, 8).put(level(), 8);
    bits.golomb(0).golomb(FRAME_NUMBER_BITS - 4);
    bits.golomb(2); // display order is decoding order
    bits.golomb(1).put(0, 1); // one reference picture, no gaps
    bits.golomb(blocksWide - 1).golomb(blocksHigh - 1);
    bits.put(1, 1).put(1, 1); // no interlacing
    if (right == 0 && bottom == 0) {
      bits.put(0, 1);
    } else {
      bits.put(1, 1).golomb(0).golomb(right / 2).golomb(0).golomb(bottom / 2);
    }
    bits.put(0, 1);
    return unit(SPS, bits);
  }

  /** Returns the picture parameter set. */
  byte[] picture() {
    BitWriter bits = new BitWriter();
    bits.golomb(0).golomb(0).put(0, 1).put(0, 1).golomb(0);
    bits.golomb(0).golomb(0).put(0, 1).put(0, 2);
    bits.golomb(0).golomb(0).golomb(0);
    bits.put(1, 1).put(0, 1).put(0, 1); // slices control the deblocking filter
    return unit(PPS, bits);
  }

  /** Returns a key picture (IDR). */
  byte[] keyPicture(Colour colour, int number) {
    BitWriter bits = new BitWriter();
    bits.golomb(0).golomb(SLICES_OF_KEY).golomb(0).put(0, FRAME_NUMBER_BITS);
    bits.golomb(number % 2); // idr_pic_id: consecutive key pictures must differ
    bits.put(0, 2).golomb(0).golomb(1);
    bits.golomb(I_PCM).align();
    fill(bits, colour.y(), LUMA_SAMPLES);
    fill(bits, colour.cb(), CHROMA_SAMPLES);
    fill(bits, colour.cr(), CHROMA_SAMPLES);
    for (int block = 1; block < blocksWide * blocksHigh; block++) {
      bits.golomb(INTRA_PREDICTED).golomb(0).golomb(0);
      // An empty residual has another code next to an I_PCM block.
      boolean isNextToFirst = (block == 1 && blocksWide > 1) || block == blocksWide;
      bits.put(isNextToFirst ? 0b000011 : 1, isNextToFirst ? 6 : 1);
    }
    return unit(KEY_PICTURE, bits);
  }

  /**
   * Returns a picture that repeats the previous one.
   *
   * @param distance from the key picture
   */
  byte[] unchangedPicture(int distance) {
    BitWriter bits = new BitWriter();
    bits.golomb(0).golomb(SLICES_OF_OTHERS).golomb(0).put(distance, FRAME_NUMBER_BITS);
    bits.put(0, 1).put(0, 1).put(0, 1).golomb(0).golomb(1);
    bits.golomb(blocksWide * blocksHigh);
    return unit(PICTURE, bits);
  }

  private static void fill(BitWriter bits, int sample, int count) {
    for (int n = 0; n < count; n++) {
      bits.put(sample, 8);
    }
  }

  /** Returns a NAL unit; an escape byte breaks up sequences that resemble a start code. */
  private static byte[] unit(int kind, BitWriter bits) {
    byte[] plain = bits.put(1, 1).align().toBytes();
    ByteArrayOutputStream unit = new ByteArrayOutputStream(plain.length + 1);
    unit.write(kind);
    int zeros = 0;
    for (byte each : plain) {
      if (zeros == 2 && (each & 0xff) <= 3) {
        unit.write(3);
        zeros = 0;
      }
      unit.write(each);
      zeros = each == 0 ? zeros + 1 : 0;
    }
    return unit.toByteArray();
  }
}
