package dev.tollgate.core.sse;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** What one line of an event stream is, as far as it matters here; id and retry do not. */
enum SseLine {
  /** The beginning of a line that may still become anything. */
  UNDECIDED,
  COMMENT,
  DATA,
  EVENT,
  IGNORED;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** Tells what a whole line is that is not empty. */
  static SseLine of(byte[] bytes, int from, int to) {
    if (bytes[from] == ':') {
      return COMMENT;
    }
    if (isField(bytes, from, to, "data")) {
      return DATA;
    }
    return isField(bytes, from, to, "event") ? EVENT : IGNORED;
  }

  /** Tells what a line is whose end is not known; data and event once their value has begun. */
  static SseLine ofBeginning(byte[] bytes, int from, int to) {
    if (from == to || isBeginningOf("data: ", bytes, from, to)) {
      return UNDECIDED;
    }
    return isBeginningOf("event: ", bytes, from, to) ? UNDECIDED : of(bytes, from, to);
  }

  /** Whether a line that is not complete belongs to an event. */
  boolean isOfEvent() {
    return switch (this) {
      case UNDECIDED, DATA, EVENT -> true;
      case COMMENT, IGNORED -> false;
    };
  }

  /** Offset where the value of a data or event line begins. */
  int valueStart(byte[] bytes, int from, int to) {
    int at = from + (this == DATA ? 4 : 5);
    if (at < to) {
      at++;
    }
    return at < to && bytes[at] == ' ' ? at + 1 : at;
  }

  /** Offset of the next CR or LF, -1 if there is none. */
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

  /** Whether the bytes are the text's beginning, the whole of it included. */
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
