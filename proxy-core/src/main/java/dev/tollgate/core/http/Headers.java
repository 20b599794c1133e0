package dev.tollgate.core.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of one head, in the order they came: ranges over the head's bytes, decoded only
 * when asked. Names compare without case and are asked for in lower case; values are Latin-1 with
 * the surrounding white space removed. Immutable.
 */
public final class Headers {
  public static final Headers EMPTY = new Headers(new byte[0], new int[0]);
  private static final int RANGE = 4;

  private final byte[] bytes;
  private final int[] ranges;

  /**
   * @param ranges for each line: start and end of the name, start and end of the value
   */
  Headers(byte[] bytes, int[] ranges) {
    this.bytes = bytes;
    this.ranges = ranges;
  }

  /** Headers made of names and values in turn, as tests need them. */
  public static Headers of(String... namesAndValues) {
    byte[] bytes = String.join("", namesAndValues).getBytes(StandardCharsets.ISO_8859_1);
    int[] ranges = new int[namesAndValues.length * 2];
    int at = 0;
    for (int i = 0; i < namesAndValues.length; i++) {
      ranges[2 * i] = at;
      at += namesAndValues[i].length();
      ranges[2 * i + 1] = at;
    }
    return new Headers(bytes, ranges);
  }

  /** The number of field lines. */
  public int size() {
    return ranges.length / RANGE;
  }

  /** The name of line {@code i}, as it was sent. */
  public String name(int i) {
    return text(ranges[RANGE * i], ranges[RANGE * i + 1]);
  }

  public String value(int i) {
    return text(ranges[RANGE * i + 2], ranges[RANGE * i + 3]);
  }

  /** How many lines carry this name. */
  public int count(String lowerCaseName) {
    int count = 0;
    for (int i = 0; i < size(); i++) {
      if (isNamed(i, lowerCaseName)) {
        count++;
      }
    }
    return count;
  }

  public boolean has(String lowerCaseName) {
    return indexOf(lowerCaseName) >= 0;
  }

  /** The value of the first line with this name, or null. */
  public @Nullable String first(String lowerCaseName) {
    int i = indexOf(lowerCaseName);
    return i < 0 ? null : value(i);
  }

  private int indexOf(String lowerCaseName) {
    for (int i = 0; i < size(); i++) {
      if (isNamed(i, lowerCaseName)) {
        return i;
      }
    }
    return -1;
  }

  private boolean isNamed(int i, String lowerCaseName) {
    int start = ranges[RANGE * i];
    int length = ranges[RANGE * i + 1] - start;
    if (length != lowerCaseName.length()) {
      return false;
    }
    for (int k = 0; k < length; k++) {
      if (lower(bytes[start + k]) != lowerCaseName.charAt(k)) {
        return false;
      }
    }
    return true;
  }

  private static int lower(byte b) {
    return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
  }

  private String text(int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
  }
}
