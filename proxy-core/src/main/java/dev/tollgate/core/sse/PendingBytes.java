package dev.tollgate.core.sse;

import java.util.Arrays;

/**
 * Growing array in which a stream decoder keeps the bytes of an incomplete event until the next
 * read.
 */
final class PendingBytes {
  private static final byte[] NONE = {};

  /** With its header, each array is a power of two: one byte more may take twice the heap. */
  private static final int HEADER_BYTES = 16;

  private static final int FIRST_BYTES = 256 - HEADER_BYTES;
  private static final int AT_REST_BYTES_MAX = 1_024;

  private final int bytesMax;
  private byte[] bytes = NONE;
  private int size;

  PendingBytes(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  byte[] bytes() {
    return bytes;
  }

  /** True if it is the same array, not an equal one. */
  @SuppressWarnings("ReferenceEquality")
  boolean isArray(byte[] other) {
    return bytes == other;
  }

  int size() {
    return size;
  }

  int capacity() {
    return bytes.length;
  }

  void append(byte[] source, int from, int to) {
    reserve(to - from);
    System.arraycopy(source, from, bytes, size, to - from);
    size += to - from;
  }

  void append(char ascii) {
    reserve(1);
    bytes[size++] = (byte) ascii;
  }

  /** Moves the bytes from one offset to the end down to another offset, and the end with them. */
  void moveTail(int from, int to) {
    System.arraycopy(bytes, from, bytes, to, size - from);
    size -= from - to;
  }

  void set(int at, char ascii) {
    bytes[at] = (byte) ascii;
  }

  void truncate(int newSize) {
    size = newSize;
  }

  /** Drops the bytes, and the array too if it is larger than an idle stream may hold. */
  void clear() {
    size = 0;
    if (bytes.length > AT_REST_BYTES_MAX) {
      bytes = NONE;
    }
  }

  void release() {
    size = 0;
    bytes = NONE;
  }

  private void reserve(int more) {
    int needed = size + more;
    if (needed <= bytes.length) {
      return;
    }
    long doubled = FIRST_BYTES;
    while (doubled < needed) {
      doubled = 2 * doubled + HEADER_BYTES;
    }
    bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(doubled, bytesMax)));
  }
}
