package dev.tollgate.core.api.audio;

import java.time.Duration;

/**
 * View of an audio file inside an array, read by offsets from the file's own start. Bytes after the
 * end read as 0.
 */
final class AudioBytes {
  private final byte[] bytes;
  private final int from;
  private final int size;

  AudioBytes(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.from = from;
    this.size = to - from;
  }

  int size() {
    return size;
  }

  /** Returns the part of the file from an offset. */
  AudioBytes from(long at) {
    return new AudioBytes(bytes, from + (int) Math.min(at, size), from + size);
  }

  /** Returns a byte; 0 after the end. */
  int at(long i) {
    return i >= 0 && i < size ? bytes[from + (int) i] & 0xff : 0;
  }

  /** True if a name is at this offset. */
  boolean is(long at, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (at(at + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Reads a little-endian number. */
  long littleEndian(long at, int count) {
    long number = 0;
    for (int i = count - 1; i >= 0; i--) {
      number = number << 8 | at(at + i);
    }
    return number;
  }

  /** Reads a big-endian number. */
  long bigEndian(long at, int count) {
    long number = 0;
    for (int i = 0; i < count; i++) {
      number = number << 8 | at(at + i);
    }
    return number;
  }

  /**
   * Returns the declared length, or the shortest that the file's bytes can have if that is longer.
   *
   * @param bytesPerSecondMost highest rate of files of this kind
   */
  Duration atLeast(Duration declared, long bytesPerSecondMost) {
    Duration least = Duration.ofMillis(size * 1_000L / bytesPerSecondMost);
    return declared.compareTo(least) < 0 ? least : declared;
  }
}
