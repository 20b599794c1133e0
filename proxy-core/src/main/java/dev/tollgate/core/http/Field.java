package dev.tollgate.core.http;

/** One field line to send. Neither part may hold CR, LF or NUL. */
public record Field(String name, String value) {
  public Field {
    if (!isClean(name) || !isClean(value)) {
      throw new IllegalArgumentException("control character in field " + name);
    }
  }

  private static boolean isClean(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\r' || c == '\n' || c == 0 || c > 0xff) {
        return false;
      }
    }
    return true;
  }
}
