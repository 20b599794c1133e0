package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.http.ResponseHead;
import java.util.Locale;

/** What a provider's head announces, and how it is to be read. */
sealed interface ReplyKind {
  // Some providers repeat the request in their complaint; cut JSON cannot be read.
  int ERROR_BYTES_MAX = 1024 * 1024;

  /** An event stream, as asked for. */
  record Stream() implements ReplyKind {}

  /** A body to collect: the plain reply, or an error of any kind. */
  record Whole(int bytesMax) implements ReplyKind {}

  /** Not what was asked for; its body is not even read. */
  record Refused(String reason) implements ReplyKind {}

  static ReplyKind of(ResponseHead head, boolean streamAsked, Provider provider) {
    if (head.status() != 200) {
      return new Whole(ERROR_BYTES_MAX);
    }
    if (isCompressed(head)) {
      return new Refused("the reply is compressed against our wish");
    }
    String type = contentType(head);
    if (!streamAsked) {
      return type.isEmpty() || type.contains("json")
          ? new Whole(provider.eventBytesMax())
          : new Refused("the reply is not JSON");
    }
    if (type.isEmpty() || type.startsWith("text/event-stream")) {
      return new Stream();
    }
    // An error object in place of the stream.
    return type.contains("json")
        ? new Whole(ERROR_BYTES_MAX)
        : new Refused("the reply is not an event stream");
  }

  private static boolean isCompressed(ResponseHead head) {
    String coding = head.headers().first("content-encoding");
    return coding != null && !coding.isEmpty() && !coding.equalsIgnoreCase("identity");
  }

  private static String contentType(ResponseHead head) {
    String type = head.headers().first("content-type");
    return type == null ? "" : type.toLowerCase(Locale.ROOT);
  }
}
