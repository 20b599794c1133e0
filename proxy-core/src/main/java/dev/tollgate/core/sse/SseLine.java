package dev.tollgate.core.sse;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Kind of a line in an SSE stream, as far as it matters to the decoder; id and retry lines do not.
 */
enum SseLine {
  /** The beginning of a line of any kind. */
  UNDECIDED,
  COMMENT,
  DATA,
  EVENT,
  IGNORED;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** Returns the kind of a whole line that is not empty. */
  static SseLine of(byte[] bytes, int from, int to) {
    if (bytes[from] == ':') {
      return COMMENT;
    }
    if (isField(bytes, from, to, "data")) {
      return DATA;
    }
    return isField(bytes, from, to, "event") ? EVENT : IGNORED;
  }

  /**
   * Returns the kind of a line whose end is unknown; data and event only once their value has
   * begun.
   */
  static SseLine ofBeginning(byte[] bytes, int from, int to) {
    if (from == to || isBeginningOf("data: ", bytes, from, to)) {
      return UNDECIDED;
    }
    return isBeginningOf("event: ", bytes, from, to) ? UNDECIDED : of(bytes, from, to);
  }

  /** True if an incomplete line belongs to an event. */
  boolean isOfEvent() {
    return switch (this) {
      case UNDECIDED, DATA, EVENT -> true;
      case COMMENT, IGNORED -> false;
    };
  }

  /** Returns the offset of the value in a data or event line. */
  int valueStart(byte[] bytes, int from, int to) {
    int at = from + (this == DATA ? 4 : 5);
    if (at < to) {
      at++;
    }
    return at < to && bytes[at] == ' ' ? at + 1 : at;
  }

  /** Returns the offset of the next CR or LF, or -1. */
  static int end(byte[] bytes, int from, int to) {
    int at = from;
    while (at + Long.BYTES <= to && breaks((long) LONGS.get(bytes, at)) == 0) {
      at += Long.BYTES;
    }
    while (at < to) {
      if (bytes[at] == '\n' || bytes[at] == '\r') {
        return at;
      }
      at++;
    }
    return -1;
  }

  private static long breaks(long eight) {
    long lf = eight ^ (ONES * '\n');
    long cr = eight ^ (ONES * '\r');
    return (((lf - ONES) & ~lf) | ((cr - ONES) & ~cr)) & HIGH_BITS;
  }

  private static boolean isField(byte[] bytes, int from, int to, String name) {
    int length = name.length();
    return to - from >= length
        && isBeginningOf(name, bytes, from, from + length)
        && (to - from == length || bytes[from + length] == ':');
  }

  /** True if the bytes are a prefix of the text, or all of it. */
  private static boolean isBeginningOf(String text, byte[] bytes, int from, int to) {
    if (to - from > text.length()) {
      return false;
    }
    for (int i = 0; i < to - from; i++) {
      if (bytes[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
