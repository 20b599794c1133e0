package dev.tollgate.core.http;

import java.nio.charset.StandardCharsets;

/**
 * Parsed first line of an HTTP request: exactly {@code method SP target SP HTTP/1.x}, the target in
 * origin-form or reduced to it.
 */
record RequestLine(String method, String path, String query, int minorVersion) {
  private static final byte[] VERSION = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);

  /** Methods of nearly every request, which are returned without a copy. */
  private static final InternedStrings METHODS =
      new InternedStrings("POST", "GET", "HEAD", "OPTIONS", "PUT", "DELETE");

  private static final InternedStrings PATHS =
      new InternedStrings(
          "/v1/chat/completions",
          "/v1/completions",
          "/v1/embeddings",
          "/v1/responses",
          "/v1/models",
          "/v1/images/generations");

  static RequestLine parse(byte[] bytes, int end) throws MalformedHttp {
    int methodEnd = 0;
    while (methodEnd < end && Grammar.isToken(bytes[methodEnd])) {
      methodEnd++;
    }
    int targetEnd = methodEnd + 1;
    while (targetEnd < end && Grammar.isVisible(bytes[targetEnd]) && bytes[targetEnd] != '#') {
      targetEnd++;
    }
    if (methodEnd == 0
        || targetEnd >= end
        || targetEnd == methodEnd + 1
        || bytes[methodEnd] != Grammar.SP
        || bytes[targetEnd] != Grammar.SP) {
      throw MalformedHttp.syntax("malformed request line");
    }
    int minorVersion = minorVersion(bytes, targetEnd + 1, end);
    String method = METHODS.text(bytes, 0, methodEnd);
    if (method.equals("CONNECT") || method.equals("TRACE")) {
      throw MalformedHttp.methodRefused(method);
    }
    return ofTarget(method, bytes, methodEnd + 1, targetEnd, minorVersion);
  }

  private static int minorVersion(byte[] bytes, int from, int to) throws MalformedHttp {
    int digit = from + VERSION.length;
    boolean one = to == digit + 1;
    for (int i = 0; one && i < VERSION.length; i++) {
      one = bytes[from + i] == VERSION[i];
    }
    if (!one || (bytes[digit] != '0' && bytes[digit] != '1')) {
      throw MalformedHttp.syntax("version other than HTTP/1.1 and HTTP/1.0");
    }
    return bytes[digit] - '0';
  }

  private static RequestLine ofTarget(
      String method, byte[] bytes, int from, int to, int minorVersion) throws MalformedHttp {
    if (bytes[from] == '*' && to == from + 1 && method.equals("OPTIONS")) {
      return new RequestLine(method, "*", "", minorVersion);
    }
    int pathStart = bytes[from] == '/' ? from : authorityEnd(bytes, from, to);
    int pathEnd = pathStart;
    while (pathEnd < to && bytes[pathEnd] != '?') {
      pathEnd++;
    }
    String path = pathEnd == pathStart ? "/" : PATHS.text(bytes, pathStart, pathEnd);
    String query = pathEnd + 1 < to ? InternedStrings.decode(bytes, pathEnd + 1, to) : "";
    return new RequestLine(method, path, query, minorVersion);
  }

  /** Returns the end of an absolute-form's authority. */
  private static int authorityEnd(byte[] bytes, int from, int to) throws MalformedHttp {
    int start = from + schemeLength(bytes, from, to);
    int end = start;
    while (end < to && bytes[end] != '/' && bytes[end] != '?') {
      end++;
    }
    if (start == from || !Authority.isValid(bytes, start, end)) {
      throw MalformedHttp.syntax("malformed request target");
    }
    return end;
  }

  private static int schemeLength(byte[] bytes, int from, int to) {
    return InternedStrings.startsWith(bytes, from, to, "http://")
        ? "http://".length()
        : InternedStrings.startsWith(bytes, from, to, "https://") ? "https://".length() : 0;
  }
}
