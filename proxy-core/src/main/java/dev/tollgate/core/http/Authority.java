package dev.tollgate.core.http;

/**
 * Validator of {@code host[:port]} in the Host field and in absolute-form targets: no user, no
 * path, no unusual characters.
 */
final class Authority {
  private static final int PORT_MAX = 65_535;

  private Authority() {}

  static boolean isValid(byte[] bytes, int from, int to) {
    int hostEnd =
        from < to && bytes[from] == '[' ? literalEnd(bytes, from, to) : nameEnd(bytes, from, to);
    return hostEnd > from && (hostEnd == to || isPort(bytes, hostEnd, to));
  }

  private static int nameEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && isNameByte(bytes[at])) {
      at++;
    }
    return at;
  }

  private static boolean isNameByte(byte b) {
    byte lower = Grammar.lower(b);
    return (lower >= 'a' && lower <= 'z')
        || Grammar.isDigit(b)
        || b == '.'
        || b == '-'
        || b == '_'
        || b == '~';
  }

  /** Returns the offset after the bracket that ends an IPv6 literal, or -1. */
  private static int literalEnd(byte[] bytes, int from, int to) {
    int at = from + 1;
    while (at < to && (Grammar.hex(bytes[at]) >= 0 || bytes[at] == ':' || bytes[at] == '.')) {
      at++;
    }
    return at < to && bytes[at] == ']' && at > from + 1 ? at + 1 : -1;
  }

  private static boolean isPort(byte[] bytes, int colon, int to) {
    int port = 0;
    for (int at = colon + 1; at < to; at++) {
      if (!Grammar.isDigit(bytes[at]) || port > PORT_MAX) {
        return false;
      }
      port = 10 * port + (bytes[at] - '0');
    }
    return bytes[colon] == ':' && port <= PORT_MAX;
  }
}
