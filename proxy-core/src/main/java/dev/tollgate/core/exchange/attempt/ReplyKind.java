package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.ResponseHead;
import java.util.Locale;

/** Kind of a provider's reply according to its head, which decides how the body is read. */
sealed interface ReplyKind {
  // Some providers repeat the request in their complaint; cut JSON cannot be read.
  int ERROR_BYTES_MAX = 1024 * 1024;

  /** An event stream, as requested. */
  record Stream() implements ReplyKind {}

  /** Bytes to pass on unchanged, as requested. */
  record Bytes() implements ReplyKind {}

  /** A body to collect: the plain reply, or an error of any kind. */
  record Whole(int bytesMax) implements ReplyKind {}

  /** A reply of a kind that was not requested; its body is not read. */
  record Refused(String reason) implements ReplyKind {}

  static ReplyKind of(ResponseHead head, InferenceRequest request, Provider provider) {
    if (head.status() != 200) {
      return new Whole(ERROR_BYTES_MAX);
    }
    if (isCompressed(head)) {
      return new Refused("the reply is compressed although identity was requested");
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

  /** Collects an error object in place of a stream; refuses any other type. */
  private static ReplyKind errorOrRefused(String type, String reason) {
    return type.contains("json") ? new Whole(ERROR_BYTES_MAX) : new Refused(reason);
  }

  private static boolean isCompressed(ResponseHead head) {
    String coding = head.headers().first("content-encoding");
    return coding != null && !coding.isEmpty() && !coding.equalsIgnoreCase("identity");
  }

  /** Returns the content type as sent; empty if there is none. */
  static String contentType(ResponseHead head) {
    String type = head.headers().first("content-type");
    return type == null ? "" : type;
  }
}
