package dev.tollgate.core.api.audio;

import java.time.Duration;

/** An audio file inside an array, read by offsets of its own: behind its end there is nothing. */
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

  /** What begins there. */
  AudioBytes from(long at) {
    return new AudioBytes(bytes, from + (int) Math.min(at, size), from + size);
  }

  /** A byte; 0 behind the end. */
  int at(long i) {
    return i >= 0 && i < size ? bytes[from + (int) i] & 0xff : 0;
  }

  /** Whether a name stands there. */
  boolean is(long at, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (at(at + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A number whose first byte is its lowest. */
  long littleEndian(long at, int count) {
    long number = 0;
    for (int i = count - 1; i >= 0; i--) {
      number = number << 8 | at(at + i);
    }
    return number;
  }

  /** A number whose first byte is its highest. */
  long bigEndian(long at, int count) {
    long number = 0;
    for (int i = 0; i < count; i++) {
      number = number << 8 | at(at + i);
    }
    return number;
  }

  /**
   * What the file says of its length; less than its bytes can hold is a lie.
   *
   * @param bytesPerSecondMost that files of its kind have
   */
  Duration atLeast(Duration declared, long bytesPerSecondMost) {
    Duration least = Duration.ofMillis(size * 1_000L / bytesPerSecondMost);
    return declared.compareTo(least) < 0 ? least : declared;
  }
}
