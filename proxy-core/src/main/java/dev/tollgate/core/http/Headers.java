package dev.tollgate.core.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Field lines of one HTTP head in the order received, as ranges over the head's bytes that are
 * decoded on demand. Names are compared without case and requested in lower case; values are
 * Latin-1 without surrounding white space. Instances are immutable.
 */
public final class Headers {
  public static final Headers EMPTY = new Headers(new byte[0], new int[0]);
  static final int RANGE = 4;

  private final byte[] bytes;
  private final int[] ranges;

  /**
   * @param ranges for each line: start and end of the name, start and end of the value
   */
  Headers(byte[] bytes, int[] ranges) {
    this.bytes = bytes;
    this.ranges = ranges;
  }

  /** Creates headers from alternating names and values, for tests. */
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

  /** Returns these lines and one more. */
  Headers with(String name, String value) {
    byte[] added = (name + value).getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = Arrays.copyOf(bytes, bytes.length + added.length);
    System.arraycopy(added, 0, all, bytes.length, added.length);
    int[] more = Arrays.copyOf(ranges, ranges.length + RANGE);
    more[ranges.length] = bytes.length;
    more[ranges.length + 1] = bytes.length + name.length();
    more[ranges.length + 2] = bytes.length + name.length();
    more[ranges.length + 3] = all.length;
    return new Headers(all, more);
  }

  /** Returns the number of field lines. */
  public int size() {
    return ranges.length / RANGE;
  }

  /** Returns the name of line {@code i} as sent. */
  public String name(int i) {
    return text(ranges[RANGE * i], ranges[RANGE * i + 1]);
  }

  public String value(int i) {
    return text(ranges[RANGE * i + 2], ranges[RANGE * i + 3]);
  }

  /** Returns the number of lines with this name. */
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

  /** Returns the value of the first line with this name, or null. */
  public @Nullable String first(String lowerCaseName) {
    int i = indexOf(lowerCaseName);
    return i < 0 ? null : value(i);
  }

  /** Returns the index of the first line with this name, or -1. */
  int indexOf(String lowerCaseName) {
    for (int i = 0; i < size(); i++) {
      if (isNamed(i, lowerCaseName)) {
        return i;
      }
    }
    return -1;
  }

  boolean isNamed(int i, String lowerCaseName) {
    return is(ranges[RANGE * i], ranges[RANGE * i + 1], lowerCaseName);
  }

  /** True if the value of line {@code i} is this word, ignoring case. */
  boolean hasValue(int i, String lowerCaseWord) {
    return is(ranges[RANGE * i + 2], ranges[RANGE * i + 3], lowerCaseWord);
  }

  /**
   * True if {@code lowerCaseWord} is one of the comma-separated words in any line with this name.
   */
  boolean lists(String lowerCaseName, String lowerCaseWord) {
    for (int i = 0; i < size(); i++) {
      if (isNamed(i, lowerCaseName) && lists(i, lowerCaseWord)) {
        return true;
      }
    }
    return false;
  }

  private boolean lists(int i, String lowerCaseWord) {
    int end = ranges[RANGE * i + 3];
    int from = ranges[RANGE * i + 2];
    while (from < end) {
      int comma = from;
      while (comma < end && bytes[comma] != ',') {
        comma++;
      }
      int to = comma;
      while (from < to && Grammar.isSpace(bytes[from])) {
        from++;
      }
      while (to > from && Grammar.isSpace(bytes[to - 1])) {
        to--;
      }
      if (is(from, to, lowerCaseWord)) {
        return true;
      }
      from = comma + 1;
    }
    return false;
  }

  byte[] bytes() {
    return bytes;
  }

  int valueStart(int i) {
    return ranges[RANGE * i + 2];
  }

  int valueEnd(int i) {
    return ranges[RANGE * i + 3];
  }

  private boolean is(int from, int to, String lowerCaseText) {
    if (to - from != lowerCaseText.length()) {
      return false;
    }
    for (int k = from; k < to; k++) {
      if (Grammar.lower(bytes[k]) != lowerCaseText.charAt(k - from)) {
        return false;
      }
    }
    return true;
  }

  private String text(int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
  }
}
