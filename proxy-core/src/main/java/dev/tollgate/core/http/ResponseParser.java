package dev.tollgate.core.http;

import java.nio.charset.StandardCharsets;

/** Reads a response's status line and, for a final response, its framing. */
final class ResponseParser {
  private static final byte[] VERSION = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
  private static final int STATUS_AT = VERSION.length + 2;

  private ResponseParser() {}

  /** The three digits of the status line, 100 to 599. */
  static int status(HeadReader reader) throws Malformed {
    byte[] bytes = reader.bytes();
    int end = reader.startLineEnd();
    int after = STATUS_AT + 3;
    boolean sound =
        end >= after
            && Words.startsWith(bytes, 0, end, "http/1.")
            && bytes[0] == 'H'
            && bytes[STATUS_AT - 1] == Grammar.SP
            && (end == after || bytes[after] == Grammar.SP);
    int status = 0;
    for (int at = STATUS_AT; sound && at < after; at++) {
      sound = Grammar.isDigit(bytes[at]);
      status = 10 * status + (bytes[at] - '0');
    }
    if (!sound || minorVersion(reader) > 1) {
      throw Malformed.syntax("malformed status line");
    }
    if (status < 100 || status > 599) {
      throw Malformed.syntax("status out of range");
    }
    return status;
  }

  static ResponseHead head(HeadReader reader, int status) throws Malformed {
    Headers headers = reader.headers();
    int minor = minorVersion(reader);
    BodyLength declared = Framing.bodyLength(headers, minor, BodyLength.UNTIL_CLOSE);
    boolean bodiless = status == 204 || status == 304;
    BodyLength body = bodiless ? BodyLength.NONE : declared;
    boolean keepAlive = !body.equals(BodyLength.UNTIL_CLOSE) && Framing.keepAlive(headers, minor);
    return new ResponseHead(status, headers, body, keepAlive);
  }

  private static int minorVersion(HeadReader reader) {
    int digit = reader.bytes()[VERSION.length] - '0';
    return digit < 0 ? Integer.MAX_VALUE : digit;
  }
}
