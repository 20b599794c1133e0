package dev.tollgate.core.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Tests of blocks of 512 bytes for non-ASCII bytes and for the end of plain JSON text. The bytes
 * are read as words of eight. The loops have no early exit, so that the compiler vectorizes them:
 * three to five times as fast as a loop that stops.
 */
final class ByteBlocks {
  static final int BYTES = 512;

  /** Multiplied by a byte, it gives a word with that byte eight times. */
  static final long ONES = 0x0101_0101_0101_0101L;

  static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  /** Added to ASCII bytes, it sets the high bit of those that are not 0. */
  static final long LOW_BITS = ~HIGH_BITS;

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long QUOTES = ONES * '"';
  private static final long BACKSLASHES = ONES * '\\';
  private static final long ABOVE_CONTROLS = ONES * (0x80 - 0x20);

  private ByteBlocks() {}

  /** Returns eight bytes, the first in the lowest bits. */
  static long word(byte[] bytes, int at) {
    return (long) WORDS.get(bytes, at);
  }

  /** True if a block is ASCII only. */
  static boolean isAscii(byte[] bytes, int start) {
    long all = 0;
    for (int at = start; at < start + BYTES; at += Long.BYTES) {
      all |= word(bytes, at);
    }
    return (all & HIGH_BITS) == 0;
  }

  /** True if no byte in a block ends a string or needs decoding. */
  static boolean isPlainText(byte[] bytes, int start) {
    long plain = HIGH_BITS;
    for (int at = start; at < start + BYTES; at += Long.BYTES) {
      long word = word(bytes, at);
      long low = word & LOW_BITS;
      long noQuote = (low ^ QUOTES) + LOW_BITS;
      long noBackslash = (low ^ BACKSLASHES) + LOW_BITS;
      plain &= word | (noQuote & noBackslash & (low + ABOVE_CONTROLS));
    }
    return plain == HIGH_BITS;
  }
}
