package dev.tollgate.core.http;

import dev.tollgate.core.http.BodyLength.Fixed;

/**
 * Reads from a head's fields how the body ends (RFC 9112, 6) and if the connection stays open.
 * Anything that two readers could understand differently is refused.
 */
final class BodyFraming {
  private static final int DIGITS_MAX = 18;

  private BodyFraming() {}

  /**
   * @param absent result if no field is present
   */
  static BodyLength bodyLength(Headers headers, int minorVersion, BodyLength absent)
      throws MalformedHttp {
    int coding = single(headers, "transfer-encoding");
    int length = single(headers, "content-length");
    if (coding < 0) {
      return length < 0 ? absent : contentLength(headers, length);
    }
    if (length >= 0) {
      throw MalformedHttp.syntax("both Content-Length and Transfer-Encoding");
    }
    if (minorVersion == 0) {
      throw MalformedHttp.syntax("Transfer-Encoding in HTTP/1.0");
    }
    if (!headers.hasValue(coding, "chunked")) {
      throw MalformedHttp.syntax("Transfer-Encoding other than chunked");
    }
    return BodyLength.CHUNKED;
  }

  static boolean keepAlive(Headers headers, int minorVersion) {
    return !headers.lists("connection", "close")
        && (minorVersion > 0 || headers.lists("connection", "keep-alive"));
  }

  /** Returns the index of the only line with this name, or -1; two lines are refused. */
  static int single(Headers headers, String lowerCaseName) throws MalformedHttp {
    int found = -1;
    for (int i = 0; i < headers.size(); i++) {
      if (headers.isNamed(i, lowerCaseName)) {
        if (found >= 0) {
          throw MalformedHttp.syntax("more than one header " + lowerCaseName);
        }
        found = i;
      }
    }
    return found;
  }

  private static BodyLength contentLength(Headers headers, int line) throws MalformedHttp {
    int start = headers.valueStart(line);
    int end = headers.valueEnd(line);
    long bytes = 0;
    for (int at = start; at < end; at++) {
      byte digit = headers.bytes()[at];
      if (!Grammar.isDigit(digit)) {
        throw MalformedHttp.syntax("malformed Content-Length");
      }
      if (at - start == DIGITS_MAX) {
        throw MalformedHttp.tooLarge("Content-Length too large");
      }
      bytes = 10 * bytes + (digit - '0');
    }
    if (start == end) {
      throw MalformedHttp.syntax("malformed Content-Length");
    }
    return bytes == 0 ? BodyLength.NONE : new Fixed(bytes);
  }
}
