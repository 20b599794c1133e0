package dev.tollgate.core.prompt;

/**
 * Guess of how densely tokenizers cut a text, by the kinds of its bytes: words are few tokens;
 * digits, symbols, codes and hexadecimal numbers are many. It reads a sample of bounded size, so
 * that an event loop can afford it for any body.
 */
public final class TextDensity {
  private static final int WINDOWS = 16;
  private static final int WINDOW_BYTES = 2_048;

  // Tokens are counted in halves.
  private static final int TOKEN = 2;
  private static final int LETTERS_PER_TOKEN = 6;
  private static final int CAPITALS_PER_TOKEN = 3;
  private static final int DIGITS_PER_TOKEN = 3;
  private static final int SYMBOLS_PER_TOKEN = 3;
  private static final int UNICODE_ESCAPE_BYTES = 6;

  private final byte[] bytes;
  private final int end;
  private int at;
  private long halfTokens;

  /** Kinds of bytes that tokenizers treat alike. */
  private enum Kind {
    LETTER,
    CAPITAL,
    DIGIT,
    SPACE,
    SYMBOL,
    /** A character beyond ASCII, in UTF-8 of two to four bytes. */
    BEYOND_ASCII
  }

  private TextDensity(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Returns the likely ratio of a text inside of JSON, from at most 32 KiB of it. */
  public static TextRatio of(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length <= WINDOWS * WINDOW_BYTES) {
      return ratio(length, new TextDensity(bytes, from, to).count());
    }
    long halfTokens = 0;
    for (int n = 0; n < WINDOWS; n++) {
      int start = from + (int) ((long) (length - WINDOW_BYTES) * n / (WINDOWS - 1));
      halfTokens += new TextDensity(bytes, start, start + WINDOW_BYTES).count();
    }
    return ratio((long) WINDOWS * WINDOW_BYTES, halfTokens);
  }

  private static TextRatio ratio(long bytes, long halfTokens) {
    return new TextRatio(Math.max(1, TOKEN * bytes), Math.max(1, halfTokens));
  }

  private long count() {
    while (at < end) {
      Kind kind = kind(bytes[at]);
      int from = at;
      if (bytes[at] == '\\' && at + 1 < end && bytes[at + 1] == 'u') {
        at += UNICODE_ESCAPE_BYTES;
        halfTokens += TOKEN;
      } else {
        while (at < end && kind(bytes[at]) == kind) {
          at++;
        }
        run(kind, from);
      }
    }
    return halfTokens;
  }

  private void run(Kind kind, int from) {
    int length = at - from;
    switch (kind) {
      case LETTER -> tokens(Math.ceilDiv(length, LETTERS_PER_TOKEN));
      case CAPITAL -> capitals(length);
      case DIGIT -> tokens(Math.ceilDiv(length, DIGITS_PER_TOKEN));
      case SPACE -> space(length);
      case SYMBOL -> tokens(Math.ceilDiv(length, SYMBOLS_PER_TOKEN));
      case BEYOND_ASCII -> beyondAscii(from);
    }
  }

  private void tokens(int count) {
    halfTokens += (long) TOKEN * count;
  }

  /** A capital begins the word that follows; several are a token of their own. */
  private void capitals(int length) {
    boolean beginsWord = length == 1 && at < end && kind(bytes[at]) == Kind.LETTER;
    if (!beginsWord) {
      tokens(Math.ceilDiv(length, CAPITALS_PER_TOKEN));
    }
  }

  /** One space belongs to the word that follows; some tokenizers separate it from digits. */
  private void space(int length) {
    if (length > 1) {
      tokens(1);
    } else if (at < end && kind(bytes[at]) == Kind.DIGIT) {
      halfTokens++;
    }
  }

  /** Letters of two bytes are half a token, others one, emoji two. */
  private void beyondAscii(int from) {
    for (int n = from; n < at; n++) {
      int first = bytes[n] & 0xff;
      halfTokens += first >= 0xf0 ? 4 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    }
  }

  private static Kind kind(byte b) {
    if (b >= 'a' && b <= 'z') {
      return Kind.LETTER;
    }
    if (b >= 'A' && b <= 'Z') {
      return Kind.CAPITAL;
    }
    if (b >= '0' && b <= '9') {
      return Kind.DIGIT;
    }
    if (b < 0) {
      return Kind.BEYOND_ASCII;
    }
    return b <= ' ' ? Kind.SPACE : Kind.SYMBOL;
  }
}
