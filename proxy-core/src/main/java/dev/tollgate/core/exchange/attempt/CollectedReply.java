package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.http.ResponseHead;

/**
 * Result of parsing a collected reply body: the plain reply, or the failure that the dialect finds
 * in it.
 */
sealed interface CollectedReply {
  record Fine(WholeReply reply) implements CollectedReply {}

  record Failed(UpstreamFailure failure) implements CollectedReply {}

  static CollectedReply of(
      InferenceCall call,
      Provider provider,
      Dialect dialect,
      ResponseHead head,
      BodyCollector body) {
    if (head.status() != 200) {
      return new Failed(
          dialect.failure(head.status(), head.headers(), body.bytes(), body.length()));
    }
    if (!call.request().mayBeAnsweredWhole()) {
      // A plain body in place of a stream can only be an error.
      return new Failed(dialect.failureInside(body.bytes(), 0, body.length()));
    }
    return switch (read(call, provider, dialect, head, body)) {
      case WholeReply.Read.Fine fine -> new Fine(fine.reply());
      case WholeReply.Read.ErrorObject _ ->
          new Failed(dialect.failureInside(body.bytes(), 0, body.length()));
      case WholeReply.Read.Filtered refused ->
          new Failed(
              new UpstreamFailure(
                  Kind.CONTENT_FILTERED, head.status(), refused.reason(), null, null, 0));
      case WholeReply.Read.Malformed bad ->
          new Failed(UpstreamFailure.of(Kind.MALFORMED, bad.reason()));
    };
  }

  private static WholeReply.Read read(
      InferenceCall call,
      Provider provider,
      Dialect dialect,
      ResponseHead head,
      BodyCollector body) {
    return call.replies(dialect, provider)
        .map(translation -> translation.reply(body.bytes(), body.length()))
        .map(reply -> call.reply(provider.id(), reply.bytes(), reply.length()))
        .orElseGet(
            () ->
                call.reply(
                    provider.id(), ReplyKind.contentType(head), body.bytes(), body.length()));
  }
}
