package dev.tollgate.mock.media;

import java.io.ByteArrayOutputStream;

/** Writer of bit fields to a byte array, most significant bit first, for the media encoders. */
final class BitWriter {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private long pending;
  private int count;

  /** Writes the lowest {@code width} bits of a value, at most 32. */
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

  /** Writes this many zeros and a one. */
  BitWriter unary(int zeros) {
    for (int left = zeros; left > 0; left -= 32) {
      put(0, Math.min(32, left));
    }
    return put(1, 1);
  }

  /** Writes an unsigned Exp-Golomb number, as H.264 uses it. */
  BitWriter golomb(int value) {
    int width = 32 - Integer.numberOfLeadingZeros(value + 1);
    return put(0, width - 1).put(value + 1, width);
  }

  /** Writes zeros up to the next byte boundary. */
  BitWriter align() {
    return put(0, (8 - count % 8) % 8);
  }

  int byteCount() {
    return out.size();
  }

  /** Returns all complete bytes. */
  byte[] toBytes() {
    return out.toByteArray();
  }
}
