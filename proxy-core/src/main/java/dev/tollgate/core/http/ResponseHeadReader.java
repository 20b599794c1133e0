package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a {@link ResponseHead} from an upstream server's bytes, which drops the interim
 * responses before it.
 */
final class ResponseHeadReader {
  private static final byte[] VERSION = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
  private static final int STATUS_AT = VERSION.length + 2;
  private static final int STATUS_END = STATUS_AT + 3;
  private static final int INTERIM_MAX = 16;

  private final HeadReader reader;
  private int status;
  private int minorVersion;
  private int interimResponses;

  ResponseHeadReader(HeadLimits limits) {
    this.reader = new HeadReader(limits);
  }

  /** Prepares for the response of another request. */
  void begin() {
    interimResponses = 0;
  }

  /** Returns the final head that ends in these bytes, or null while all of them belong to it. */
  @Nullable ResponseHead read(ByteBuf in) throws MalformedHttp {
    ResponseHead head = null;
    while (head == null && in.isReadable()) {
      switch (reader.read(in)) {
        case START_LINE -> statusLine(reader.bytes(), reader.startLineEnd());
        case END -> head = end();
        case NOTHING -> {}
      }
    }
    return head;
  }

  private void statusLine(byte[] bytes, int end) throws MalformedHttp {
    if (!isStatusLine(bytes, end)) {
      throw MalformedHttp.syntax("malformed status line");
    }
    minorVersion = bytes[VERSION.length] - '0';
    status = 0;
    for (int at = STATUS_AT; at < STATUS_END; at++) {
      status = 10 * status + (bytes[at] - '0');
    }
    if (status < 100 || status > 599) {
      throw MalformedHttp.syntax("status out of range");
    }
    if (status == 101) {
      throw MalformedHttp.syntax("101 without an upgrade");
    }
    if (status < 200 && ++interimResponses > INTERIM_MAX) {
      throw MalformedHttp.syntax("too many interim responses");
    }
  }

  // Some servers omit the space after the status together with the reason.
  private static boolean isStatusLine(byte[] bytes, int end) {
    boolean sound =
        end >= STATUS_END
            && (bytes[VERSION.length] == '0' || bytes[VERSION.length] == '1')
            && bytes[STATUS_AT - 1] == Grammar.SP
            && (end == STATUS_END || bytes[STATUS_END] == Grammar.SP);
    for (int i = 0; sound && i < VERSION.length; i++) {
      sound = bytes[i] == VERSION[i];
    }
    for (int at = STATUS_AT; sound && at < STATUS_END; at++) {
      sound = Grammar.isDigit(bytes[at]);
    }
    return sound;
  }

  private @Nullable ResponseHead end() throws MalformedHttp {
    Headers headers = reader.headers();
    reader.reset();
    return status < 200 ? null : head(headers);
  }

  private ResponseHead head(Headers headers) throws MalformedHttp {
    BodyLength declared = BodyFraming.bodyLength(headers, minorVersion, BodyLength.UNTIL_CLOSE);
    boolean bodiless = status == 204 || status == 304;
    BodyLength body = bodiless ? BodyLength.NONE : declared;
    boolean keepAlive =
        !body.equals(BodyLength.UNTIL_CLOSE) && BodyFraming.keepAlive(headers, minorVersion);
    return new ResponseHead(status, headers, body, keepAlive);
  }
}
