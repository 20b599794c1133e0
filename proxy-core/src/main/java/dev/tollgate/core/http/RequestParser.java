package dev.tollgate.core.http;

/** Makes a {@link RequestHead} of a head that was read whole, and refuses what is ambiguous. */
final class RequestParser {
  /** Names whose second line is an attack: one reader would take the first, another the last. */
  private static final String[] SINGLE = {"authorization", "content-type", "idempotency-key"};

  private RequestParser() {}

  static RequestHead parse(HeadReader reader) throws Malformed {
    RequestLine line = RequestLine.parse(reader.bytes(), reader.startLineEnd());
    Headers headers = reader.headers();
    int minor = line.minorVersion();
    checkHost(headers, minor);
    for (String name : SINGLE) {
      Framing.single(headers, name);
    }
    BodyLength body = Framing.bodyLength(headers, minor, BodyLength.NONE);
    boolean expects = expectsContinue(headers) && minor > 0 && !body.equals(BodyLength.NONE);
    return new RequestHead(
        line.method(),
        line.path(),
        line.query(),
        minor,
        headers,
        body,
        Framing.keepAlive(headers, minor),
        expects);
  }

  private static void checkHost(Headers headers, int minorVersion) throws Malformed {
    int host = Framing.single(headers, "host");
    if (host < 0) {
      if (minorVersion > 0) {
        throw Malformed.syntax("no Host header");
      }
    } else if (!Authority.isValid(
        headers.bytes(), headers.valueStart(host), headers.valueEnd(host))) {
      throw Malformed.syntax("malformed Host header");
    }
  }

  private static boolean expectsContinue(Headers headers) throws Malformed {
    int expect = Framing.single(headers, "expect");
    if (expect >= 0 && !headers.hasValue(expect, "100-continue")) {
      throw Malformed.syntax("Expect other than 100-continue");
    }
    return expect >= 0;
  }
}
