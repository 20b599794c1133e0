package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.ResponseHead;
import java.util.Locale;

/** What a provider's head announces, and how it is to be read. */
sealed interface ReplyKind {
  // Some providers repeat the request in their complaint; cut JSON cannot be read.
  int ERROR_BYTES_MAX = 1024 * 1024;

  /** An event stream, as asked for. */
  record Stream() implements ReplyKind {}

  /** Bytes to hand on as they are, as asked for. */
  record Bytes() implements ReplyKind {}

  /** A body to collect: the plain reply, or an error of any kind. */
  record Whole(int bytesMax) implements ReplyKind {}

  /** Not what was asked for; its body is not even read. */
  record Refused(String reason) implements ReplyKind {}

  static ReplyKind of(ResponseHead head, InferenceRequest request, Provider provider) {
    if (head.status() != 200) {
      return new Whole(ERROR_BYTES_MAX);
    }
    if (isCompressed(head)) {
      return new Refused("the reply is compressed against our wish");
    }
    String type = contentType(head).toLowerCase(Locale.ROOT);
    return switch (request.mode()) {
      case WHOLE ->
          type.isEmpty() || isPlain(type, request)
              ? new Whole(request.replyBytesMax(provider))
              : new Refused("the reply is not JSON");
      case EVENTS ->
          type.isEmpty() || type.startsWith(framing(provider).mediaType())
              ? new Stream()
              : request.mayBeAnsweredWhole() && isPlain(type, request)
                  ? new Whole(request.replyBytesMax(provider))
                  : errorOrRefused(type, "the reply is not an event stream");
      case BYTES ->
          type.isEmpty() || request.mayBeAnsweredAs(type)
              ? new Bytes()
              : errorOrRefused(type, "the reply is not what was asked for");
    };
  }

  private static boolean isPlain(String type, InferenceRequest request) {
    return type.contains("json") || request.mayBeAnsweredAs(type);
  }

  private static StreamFraming framing(Provider provider) {
    return Dialects.named(provider.dialect()).framing();
  }

  /** An error object in place of what flows, or something that nobody asked for. */
  private static ReplyKind errorOrRefused(String type, String reason) {
    return type.contains("json") ? new Whole(ERROR_BYTES_MAX) : new Refused(reason);
  }

  private static boolean isCompressed(ResponseHead head) {
    String coding = head.headers().first("content-encoding");
    return coding != null && !coding.isEmpty() && !coding.equalsIgnoreCase("identity");
  }

  /** The type as it was written; empty where none was. */
  static String contentType(ResponseHead head) {
    String type = head.headers().first("content-type");
    return type == null ? "" : type;
  }
}
