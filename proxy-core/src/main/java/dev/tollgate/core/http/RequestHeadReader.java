package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Parser of a {@link RequestHead} from a client's bytes, which refuses ambiguous heads. */
final class RequestHeadReader {
  /**
   * Names of fields that may occur once only: of two lines, one reader would use the first, another
   * the last.
   */
  private static final String[] SINGLE = {"authorization", "content-type", "idempotency-key"};

  private final HeadReader reader;
  private @Nullable RequestLine line;

  RequestHeadReader(HeadLimits limits) {
    this.reader = new HeadReader(limits);
  }

  /** True if a part of a head was read and its end was not. */
  boolean isUnderway() {
    return reader.isUnderway();
  }

  /** Returns the fields read so far of a head whose end was not read. */
  Headers read() {
    return reader.headers();
  }

  /** Returns the head that ends in these bytes, or null while all of them belong to it. */
  @Nullable RequestHead read(ByteBuf in) throws MalformedHttp {
    RequestHead head = null;
    while (head == null && in.isReadable()) {
      switch (reader.read(in)) {
        case START_LINE -> line = RequestLine.parse(reader.bytes(), reader.startLineEnd());
        case END -> head = end();
        case NOTHING -> {}
      }
    }
    return head;
  }

  private RequestHead end() throws MalformedHttp {
    if (line == null) {
      throw new IllegalStateException("the head has no first line");
    }
    RequestHead head = head(line, reader.headers());
    line = null;
    reader.reset();
    return head;
  }

  private static RequestHead head(RequestLine line, Headers headers) throws MalformedHttp {
    int minor = line.minorVersion();
    checkHost(headers, minor);
    for (String name : SINGLE) {
      BodyFraming.single(headers, name);
    }
    BodyLength body = BodyFraming.bodyLength(headers, minor, BodyLength.NONE);
    boolean waits = expectsContinue(headers) && minor > 0 && !body.equals(BodyLength.NONE);
    return new RequestHead(
        line.method(),
        line.path(),
        line.query(),
        minor,
        headers,
        body,
        BodyFraming.keepAlive(headers, minor),
        waits);
  }

  private static void checkHost(Headers headers, int minorVersion) throws MalformedHttp {
    int host = BodyFraming.single(headers, "host");
    if (host < 0) {
      if (minorVersion > 0) {
        throw MalformedHttp.syntax("no Host header");
      }
    } else if (!Authority.isValid(
        headers.bytes(), headers.valueStart(host), headers.valueEnd(host))) {
      throw MalformedHttp.syntax("malformed Host header");
    }
  }

  private static boolean expectsContinue(Headers headers) throws MalformedHttp {
    int expect = BodyFraming.single(headers, "expect");
    if (expect >= 0 && !headers.hasValue(expect, "100-continue")) {
      throw MalformedHttp.syntax("Expect other than 100-continue");
    }
    return expect >= 0;
  }
}
