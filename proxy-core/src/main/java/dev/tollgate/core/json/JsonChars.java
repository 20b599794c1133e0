package dev.tollgate.core.json;

/**
 * Iterator over the characters of a JSON string value, read in place: a large value is not copied.
 */
public final class JsonChars {
  /** Result after the last character. */
  public static final int END = -1;

  /** Result for a character, or a part of one, that is not ASCII. */
  public static final int OTHER = 0x80;

  private final byte[] bytes;
  private final int end;
  private int at;

  JsonChars(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** Returns the next character: ASCII, {@link #OTHER} or {@link #END}. */
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
    at = JsonText.afterEscape(bytes, at);
    return Math.min(escaped, OTHER);
  }

  /** Returns the next characters up to a bound; characters that are not ASCII become U+0080. */
  public String take(int charsMax) {
    StringBuilder taken = new StringBuilder(Math.min(charsMax, end - at));
    while (taken.length() < charsMax && at < end) {
      taken.append((char) next());
    }
    return taken.toString();
  }
}
