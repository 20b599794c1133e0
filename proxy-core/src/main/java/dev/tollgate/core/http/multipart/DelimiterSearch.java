package dev.tollgate.core.http.multipart;

import java.util.Arrays;

/**
 * Search for a multipart delimiter in a body, in linear time even for crafted content. It skips
 * ahead by the last byte compared (Horspool); if crafted content allows short skips only, it
 * continues byte by byte and compares each byte at most twice (Knuth, Morris and Pratt). It is not
 * thread-safe.
 */
final class DelimiterSearch {
  private static final int COMPARISONS_FREE = 4_096;
  private static final int BYTES_PER_COMPARISON_MIN = 4;

  private final byte[] delimiter;
  private final int[] skipTable = new int[256];
  private final int[] failureTable;
  private long comparisons;

  DelimiterSearch(byte[] delimiter) {
    this.delimiter = delimiter;
    Arrays.fill(skipTable, delimiter.length);
    for (int i = 0; i < delimiter.length - 1; i++) {
      skipTable[delimiter[i] & 0xff] = delimiter.length - 1 - i;
    }
    this.failureTable = failureTable(delimiter);
  }

  /**
   * Returns, for each prefix of the delimiter, the length of its longest suffix that is a prefix
   * too.
   */
  private static int[] failureTable(byte[] delimiter) {
    int[] borders = new int[delimiter.length];
    int border = 0;
    for (int i = 1; i < delimiter.length; i++) {
      while (border > 0 && delimiter[i] != delimiter[border]) {
        border = borders[border - 1];
      }
      border += delimiter[i] == delimiter[border] ? 1 : 0;
      borders[i] = border;
    }
    return borders;
  }

  int length() {
    return delimiter.length;
  }

  /** Returns the number of full comparisons so far. */
  long comparisons() {
    return comparisons;
  }

  /** Returns the first occurrence that lies completely between two offsets; -1 if there is none. */
  int find(byte[] bytes, int from, int to) {
    int last = delimiter.length - 1;
    int comparisonsHere = 0;
    int at = from;
    while (at + last < to) {
      byte end = bytes[at + last];
      if (end == delimiter[last] && matchesAt(bytes, at)) {
        return at;
      }
      at += skipTable[end & 0xff];
      comparisonsHere++;
      if (comparisonsHere - COMPARISONS_FREE > (at - from) / BYTES_PER_COMPARISON_MIN) {
        return findKmp(bytes, at, to);
      }
    }
    return -1;
  }

  private boolean matchesAt(byte[] bytes, int at) {
    comparisons++;
    return Arrays.equals(bytes, at, at + delimiter.length, delimiter, 0, delimiter.length);
  }

  private int findKmp(byte[] bytes, int from, int to) {
    int matched = 0;
    for (int i = from; i < to; i++) {
      while (matched > 0 && bytes[i] != delimiter[matched]) {
        matched = failureTable[matched - 1];
      }
      matched += bytes[i] == delimiter[matched] ? 1 : 0;
      if (matched == delimiter.length) {
        return i + 1 - matched;
      }
    }
    return -1;
  }
}
