package dev.tollgate.core.json;

/**
 * Reader of integers that are written with a point or an exponent, such as {@code 16.0} and {@code
 * 1e2}. It reads each byte once, however long the number is, and computes with 64 bits.
 */
final class Decimal {
  /** Beyond this no number of a document's length fits, whichever digits it has. */
  private static final long EXPONENT_MAX = 1_000_000_000_000L;

  private final byte[] bytes;
  private final int to;
  private int at;

  /** Digits without the zeros at their end, negated, because there is one more negative long. */
  private long digits;

  private long zerosAtEnd;
  private boolean fits = true;

  private Decimal(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.to = to;
  }

  /** Returns the value of a valid number if it is an integer that fits, else {@code otherwise}. */
  static long integer(byte[] bytes, int from, int to, long otherwise) {
    boolean negative = bytes[from] == '-';
    var number = new Decimal(bytes, negative ? from + 1 : from, to);
    long value = number.negated();
    if (value > 0 || (value == Long.MIN_VALUE && !negative)) {
      return otherwise;
    }
    return negative ? value : -value;
  }

  /** Returns the negated value; 1 if it is no integer, or does not fit. */
  private long negated() {
    takeDigits();
    long fraction = 0;
    if (at < to && bytes[at] == '.') {
      at++;
      fraction = takeDigits();
    }
    long exponent = zerosAtEnd - fraction + exponent();
    if (digits == 0) {
      return 0;
    }
    return fits && exponent >= 0 ? timesTen(digits, exponent) : 1;
  }

  /** Reads digits up to another byte. Returns their number. */
  private int takeDigits() {
    int start = at;
    while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
      int digit = bytes[at] - '0';
      if (digit == 0) {
        zerosAtEnd++;
      } else {
        append(digit);
      }
      at++;
    }
    return at - start;
  }

  private void append(int digit) {
    long shifted = digits == 0 ? 0 : timesTen(digits, zerosAtEnd + 1);
    fits &= shifted <= 0 && shifted >= Long.MIN_VALUE + digit;
    digits = fits ? shifted - digit : -1;
    zerosAtEnd = 0;
  }

  private long exponent() {
    if (at == to) {
      return 0;
    }
    at++; // the letter
    boolean negative = bytes[at] == '-';
    if (negative || bytes[at] == '+') {
      at++;
    }
    long exponent = 0;
    for (; at < to; at++) {
      exponent = Math.min(EXPONENT_MAX, 10 * exponent + (bytes[at] - '0'));
    }
    return negative ? -exponent : exponent;
  }

  /** Returns a negative number with zeros appended; 1 if it does not fit. */
  private static long timesTen(long negative, long zeros) {
    long value = negative;
    for (long n = 0; n < zeros; n++) {
      if (value < Long.MIN_VALUE / 10) {
        return 1;
      }
      value *= 10;
    }
    return value;
  }
}
