package dev.tollgate.core.testkit;

/** Bit stream reader, most significant bit first. */
public final class BitReader {
  private final byte[] bytes;
  private int at;

  public BitReader(byte[] bytes, int fromByte) {
    this.bytes = bytes;
    this.at = 8 * fromByte;
  }

  public long bits(int width) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = (value << 1) | bit(at);
      at++;
    }
    return value;
  }

  public long signed(int width) {
    long value = bits(width);
    return (value << (64 - width)) >> (64 - width);
  }

  public int unary() {
    int zeros = 0;
    while (bits(1) == 0) {
      zeros++;
    }
    return zeros;
  }

  int golomb() {
    int zeros = unary();
    return (int) ((1L << zeros) + bits(zeros) - 1);
  }

  public int align() {
    at = (at + 7) & ~7;
    return at >> 3;
  }

  /** True at the last one bit, which ends a NAL unit. */
  boolean isAtTrailer() {
    int last = 8 * bytes.length - 1;
    while (bit(last) == 0) {
      last--;
    }
    return at == last;
  }

  private int bit(int index) {
    return (bytes[index >> 3] >> (7 - (index & 7))) & 1;
  }
}
