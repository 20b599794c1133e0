package dev.tollgate.core.sse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Parser of the headers of one frame in an AWS event stream, reused for each frame. It is confined
 * to one thread.
 */
final class AwsEventStreamHeaders {
  private static final int STRING = 7;

  private Kind kind = Kind.UNKNOWN;
  private String eventType = "";
  private String eventTypeBefore = "";
  private String exceptionType = "";
  private String errorCode = "";
  private String errorMessage = "";

  /** Kind of a frame. */
  enum Kind {
    EVENT,
    /** Fault with a name in the service's API; it ends the stream. */
    EXCEPTION,
    /** Any other fault. */
    ERROR,
    UNKNOWN
  }

  /** Reads the headers. Returns false if they are malformed. */
  boolean read(byte[] bytes, int from, int to) {
    kind = Kind.UNKNOWN;
    eventType = "";
    exceptionType = "";
    errorCode = "";
    errorMessage = "";
    int at = from;
    while (at >= 0 && at < to) {
      at = header(bytes, at, to);
    }
    return at == to;
  }

  /** Reads one header and returns the offset of the next; -1 if it is malformed. */
  private int header(byte[] bytes, int at, int to) {
    int type = at + 1 + (bytes[at] & 0xff);
    if (type == at + 1 || type >= to) {
      return -1;
    }
    int kind = bytes[type];
    boolean counted = kind == STRING - 1 || kind == STRING;
    if (counted && type + 3 > to) {
      return -1;
    }
    int value = counted ? type + 3 : type + 1;
    int length =
        switch (kind) {
          case 0, 1 -> 0; // true and false
          case 2 -> 1;
          case 3 -> 2;
          case 4 -> 4;
          case 5, 8 -> 8; // a number, a time
          case 9 -> 16;
          default -> counted ? (bytes[type + 1] & 0xff) << 8 | (bytes[type + 2] & 0xff) : to;
        };
    if (value + length > to) {
      return -1;
    }
    if (kind == STRING) {
      note(bytes, at + 1, type, value, value + length);
    }
    return value + length;
  }

  private void note(byte[] bytes, int nameFrom, int nameTo, int from, int to) {
    if (isText(bytes, nameFrom, nameTo, ":message-type")) {
      kind = kind(bytes, from, to);
    } else if (isText(bytes, nameFrom, nameTo, ":event-type")) {
      eventType = text(bytes, from, to, eventTypeBefore);
      eventTypeBefore = eventType;
    } else if (isText(bytes, nameFrom, nameTo, ":exception-type")) {
      exceptionType = new String(bytes, from, to - from, UTF_8);
    } else if (isText(bytes, nameFrom, nameTo, ":error-code")) {
      errorCode = new String(bytes, from, to - from, UTF_8);
    } else if (isText(bytes, nameFrom, nameTo, ":error-message")) {
      errorMessage = new String(bytes, from, to - from, UTF_8);
    }
  }

  private static Kind kind(byte[] bytes, int from, int to) {
    if (isText(bytes, from, to, "event")) {
      return Kind.EVENT;
    }
    return isText(bytes, from, to, "exception")
        ? Kind.EXCEPTION
        : isText(bytes, from, to, "error") ? Kind.ERROR : Kind.UNKNOWN;
  }

  Kind kind() {
    return kind;
  }

  /** Returns the event's name. */
  String name() {
    return eventType;
  }

  /**
   * Returns a fault as JSON with type and message within {@code error}, whatever its payload is.
   */
  byte[] error(byte[] bytes, int from, int to) {
    boolean modelled = kind == Kind.EXCEPTION;
    ByteBuf out = Unpooled.buffer();
    new JsonWriter(out)
        .beginObject()
        .name("error")
        .beginObject()
        .name("type")
        .string(modelled ? exceptionType : errorCode)
        .name("message")
        .string(modelled ? message(bytes, from, to) : errorMessage)
        .endObject()
        .endObject();
    return ByteBufUtil.getBytes(out);
  }

  private static String message(byte[] bytes, int from, int to) {
    try {
      JsonMembers payload = JsonMembers.of(bytes, from, to);
      int small = payload.indexOf("message");
      int i = small >= 0 ? small : payload.indexOf("Message"); // Amazon writes either
      return i >= 0 && payload.kind(i) == JsonKind.STRING ? payload.string(i) : "";
    } catch (InvalidJson e) {
      return ""; // its type says enough
    }
  }

  /** Returns a text, without an allocation if it equals the known one. */
  private static String text(byte[] bytes, int from, int to, String known) {
    return isText(bytes, from, to, known) ? known : new String(bytes, from, to - from, UTF_8);
  }

  private static boolean isText(byte[] bytes, int from, int to, String ascii) {
    if (to - from != ascii.length()) {
      return false;
    }
    for (int i = 0; i < ascii.length(); i++) {
      if (bytes[from + i] != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
