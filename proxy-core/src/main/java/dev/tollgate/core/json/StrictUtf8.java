package dev.tollgate.core.json;

/**
 * Validator of UTF-8 as RFC 3629 defines it: no overlong forms, no encoded surrogates, nothing
 * above U+10FFFF. JSON parsers over bytes accept some of these, so this check runs first.
 */
public final class StrictUtf8 {
  private StrictUtf8() {}

  public static boolean isValid(byte[] bytes, int from, int to) {
    return indexOfInvalid(bytes, from, to) < 0;
  }

  /** Returns the offset of the first byte that begins no valid sequence, or -1. */
  static int indexOfInvalid(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int end = Math.min(to, at + ByteBlocks.BYTES);
      if (end == at + ByteBlocks.BYTES && ByteBlocks.isAscii(bytes, at)) {
        at = end;
      }
      while (at < end) {
        at = skipAscii(bytes, at, end);
        if (at < end) {
          int length = sequenceLength(bytes, at, to);
          if (length == 0) {
            return at;
          }
          at += length;
        }
      }
    }
    return -1;
  }

  private static int skipAscii(byte[] bytes, int from, int to) {
    int at = from;
    while (at + Long.BYTES <= to && (ByteBlocks.word(bytes, at) & ByteBlocks.HIGH_BITS) == 0) {
      at += Long.BYTES;
    }
    while (at < to && bytes[at] >= 0) {
      at++;
    }
    return at;
  }

  /** Returns the length of the sequence of two to four bytes at this offset, 0 if invalid. */
  static int sequenceLength(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    int length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length == 0 || at + length > to || !isSecond(lead, bytes[at + 1] & 0xff)) {
      return 0;
    }
    for (int i = at + 2; i < at + length; i++) {
      if ((bytes[i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return length;
  }

  /**
   * Returns the length of an invalid sequence at this offset: the bytes of a character that is cut
   * off, else one.
   */
  static int truncatedLength(byte[] bytes, int at, int to) {
    int lead = bytes[at] & 0xff;
    int most = lead < 0xe0 || lead >= 0xf5 ? 1 : lead < 0xf0 ? 2 : 3;
    int length = 1;
    while (length < most
        && at + length < to
        && (length > 1
            ? (bytes[at + length] & 0xc0) == 0x80
            : isSecond(lead, bytes[at + 1] & 0xff))) {
      length++;
    }
    return length;
  }

  /** Checks the second byte, which reveals overlong forms, surrogates and values above U+10FFFF. */
  private static boolean isSecond(int lead, int second) {
    int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    return lowest <= second && second <= highest;
  }
}
