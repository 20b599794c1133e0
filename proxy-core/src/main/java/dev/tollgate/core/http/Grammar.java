package dev.tollgate.core.http;

/** Character classes of the HTTP grammar (RFC 9110 and 9112), such as the bytes of a token. */
public final class Grammar {
  static final byte CR = '\r';
  static final byte LF = '\n';
  static final byte TAB = '\t';
  static final byte SP = ' ';

  private static final boolean[] TOKEN = new boolean[128];

  static {
    for (char c = '0'; c <= '9'; c++) {
      TOKEN[c] = true;
    }
    for (char c = 'a'; c <= 'z'; c++) {
      TOKEN[c] = true;
      TOKEN[c - ('a' - 'A')] = true;
    }
    for (char c : "!#$%&'*+-.^_`|~".toCharArray()) {
      TOKEN[c] = true;
    }
  }

  private Grammar() {}

  /** True for a byte of a token, such as a method or a field name. */
  public static boolean isToken(byte b) {
    return b >= 0 && TOKEN[b];
  }

  /** True for a byte of a field value: visible, space, tab or above ASCII. */
  static boolean isText(byte b) {
    return (b >= SP && b != 0x7f) || b < 0 || b == TAB;
  }

  static boolean isVisible(byte b) {
    return b > SP && b < 0x7f;
  }

  static boolean isSpace(byte b) {
    return b == SP || b == TAB;
  }

  static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Returns the value of a hexadecimal digit, or -1. */
  static int hex(byte b) {
    if (isDigit(b)) {
      return b - '0';
    }
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  static byte lower(byte b) {
    return b >= 'A' && b <= 'Z' ? (byte) (b + ('a' - 'A')) : b;
  }
}
