package dev.tollgate.core.json;

import static dev.tollgate.core.json.ByteBlocks.HIGH_BITS;
import static dev.tollgate.core.json.ByteBlocks.LOW_BITS;
import static dev.tollgate.core.json.ByteBlocks.ONES;

/**
 * Fast scanner of a JSON list of numbers, which finds the end of the list and its commas only.
 * Anything between commas counts as a number. Each byte is compared with the next one, where
 * numbers end.
 */
final class NumberList {
  private static final int LETTER_BIT = 0x40;
  private static final int CASE_BIT = 0x20;
  private static final long COMMAS = ONES * ',';
  private static final long QUOTES = ONES * '"';
  private static final long CASE_BITS = ONES * CASE_BIT;
  private static final long EXPONENTS = ONES * 'e';
  private static final long ABOVE_SPACES = ONES * (0x80 - ' ' - 1);
  private static final int SHIFT_TO_LOWEST = Byte.SIZE - 1;

  private static final long EVEN_BYTES = 0x00ff_00ff_00ff_00ffL;
  private static final long SHORT_ONES = 0x0001_0001_0001_0001L;
  private static final int SHIFT_TO_LAST_SHORT = Long.SIZE - Short.SIZE;

  private final byte[] bytes;
  private final int to;
  private int commas;
  private int ended;

  NumberList(byte[] bytes, int to) {
    this.bytes = bytes;
    this.to = to;
  }

  /**
   * Returns the offset of the bracket that ends the list; -1 if another byte comes before it, if it
   * contains no digit, or if the number of commas does not match. NaN, null, nested lists and extra
   * commas are left to the reader of each number.
   */
  int endFrom(int start) {
    int at = bytewise(words(blocks(start)));
    if (bytes[at] != ']') {
      return -1;
    }
    int last = at - 1;
    while (isSpace(bytes[last])) {
      last--;
    }
    int numbers = last == at - 1 ? ended + 1 : ended;
    return isDigit(bytes[last]) && numbers == commas + 1 ? at : -1;
  }

  private int blocks(int start) {
    int at = start;
    while (at + ByteBlocks.BYTES < to) {
      long foreign = 0;
      long others = 0;
      long ends = 0;
      for (int i = at; i < at + ByteBlocks.BYTES; i += Long.BYTES) {
        long word = ByteBlocks.word(bytes, i);
        long next = ByteBlocks.word(bytes, i + 1);
        foreign |= foreign(word, next);
        others += (noCommas(word) & HIGH_BITS) >>> SHIFT_TO_LOWEST;
        ends += (ends(word, next) & HIGH_BITS) >>> SHIFT_TO_LOWEST;
      }
      if ((foreign & HIGH_BITS) != 0) {
        break;
      }
      commas += ByteBlocks.BYTES - sumOfBytes(others);
      ended += sumOfBytes(ends);
      at += ByteBlocks.BYTES;
    }
    return at;
  }

  private int words(int start) {
    int at = start;
    while (at + Long.BYTES < to) {
      long word = ByteBlocks.word(bytes, at);
      long next = ByteBlocks.word(bytes, at + 1);
      if ((foreign(word, next) & HIGH_BITS) != 0) {
        break;
      }
      commas += Long.bitCount(~noCommas(word) & HIGH_BITS);
      ended += Long.bitCount(ends(word, next) & HIGH_BITS);
      at += Long.BYTES;
    }
    return at;
  }

  /** Finds the first byte that is not part of the list, or the document's last byte. */
  private int bytewise(int start) {
    int at = start;
    while (at + 1 < to && !isStrange(bytes[at], bytes[at + 1])) {
      commas += bytes[at] == ',' ? 1 : 0;
      ended += isWritten(bytes[at]) && !isWritten(bytes[at + 1]) ? 1 : 0;
      at++;
    }
    return at;
  }

  private static boolean isStrange(byte b, byte next) {
    boolean isLetter = (b & LETTER_BIT) != 0 && (b | CASE_BIT) != 'e';
    return b < 0 || isLetter || b == '"' || (b == ',' && next == ',');
  }

  private static boolean isWritten(byte b) {
    return b != ',' && b > ' ';
  }

  /**
   * Returns the high bit of each byte that no list of numbers contains: the bit of letters and
   * brackets, except for exponents, quotation marks, bytes that are not ASCII, and a comma before
   * another.
   */
  private static long foreign(long word, long next) {
    long noExponents = ((word | CASE_BITS) ^ EXPONENTS) + LOW_BITS;
    long letters = (word << 1) & noExponents; // the shift brings their bit to the highest
    long noQuotes = (word ^ QUOTES) + LOW_BITS;
    return word | letters | ~noQuotes | ~(noCommas(word) | noCommas(next));
  }

  /** Returns the high bit of each byte of a number that is followed by a comma or white space. */
  private static long ends(long word, long next) {
    return written(word) & ~written(next);
  }

  private static long written(long word) {
    return noCommas(word) & (word + ABOVE_SPACES);
  }

  private static long noCommas(long word) {
    return (word ^ COMMAS) + LOW_BITS;
  }

  private static int sumOfBytes(long counts) {
    long pairs = (counts & EVEN_BYTES) + ((counts >>> Byte.SIZE) & EVEN_BYTES);
    return (int) ((pairs * SHORT_ONES) >>> SHIFT_TO_LAST_SHORT);
  }

  private static boolean isDigit(byte b) {
    return '0' <= b && b <= '9';
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
