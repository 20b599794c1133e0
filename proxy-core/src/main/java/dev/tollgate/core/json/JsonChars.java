package dev.tollgate.core.json;

/**
 * The characters of a string value, read one after the other where they stand: of a large one
 * nothing is copied.
 */
public final class JsonChars {
  /** Behind the last character. */
  public static final int END = -1;

  /** Any character that is not ASCII, or a part of one. */
  public static final int OTHER = 0x80;

  private final byte[] bytes;
  private final int end;
  private int at;

  JsonChars(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** The next one: ASCII, {@link #OTHER} or {@link #END}. */
  public int next() {
    if (at == end) {
      return END;
    }
    byte b = bytes[at];
    if (b == '\\') {
      return escaped();
    }
    at++;
    return b < 0 ? OTHER : b;
  }

  private int escaped() {
    char escaped = JsonText.escaped(bytes, at);
    at = JsonText.behindEscape(bytes, at);
    return Math.min(escaped, OTHER);
  }

  /** The next ones, so many at most; what is not ASCII is U+0080. */
  public String take(int charsMax) {
    StringBuilder taken = new StringBuilder(Math.min(charsMax, end - at));
    while (taken.length() < charsMax && at < end) {
      taken.append((char) next());
    }
    return taken.toString();
  }
}
