package dev.tollgate.mock.media;

import java.io.ByteArrayOutputStream;

/** Writes bits, the highest first, into bytes. */
final class BitWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private long pending;
  private int count;

  /** The lowest {@code width} bits of a value; at most 32 at a time. */
  BitWriter put(long value, int width) {
    pending = (pending << width) | (value & ((1L << width) - 1));
    count += width;
    while (count >= 8) {
      count -= 8;
      out.write((int) (pending >>> count));
    }
    return this;
  }

  BitWriter text(String ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      put(ascii.charAt(i), 8);
    }
    return this;
  }

  BitWriter bytes(byte[] bytes) {
    for (byte each : bytes) {
      put(each, 8);
    }
    return this;
  }

  /** As many zeros and a one. */
  BitWriter unary(int zeros) {
    for (int left = zeros; left > 0; left -= 32) {
      put(0, Math.min(32, left));
    }
    return put(1, 1);
  }

  /** An Exp-Golomb number, as videos have them. */
  BitWriter golomb(int value) {
    int width = 32 - Integer.numberOfLeadingZeros(value + 1);
    return put(0, width - 1).put(value + 1, width);
  }

  /** Zeros up to the next whole byte. */
  BitWriter align() {
    return put(0, (8 - count % 8) % 8);
  }

  int byteCount() {
    return out.size();
  }

  /** All whole bytes so far. */
  byte[] toBytes() {
    return out.toByteArray();
  }
}
