package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.ErrorKinds;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;

/** Classifies the errors of Google's APIs and reads the retry delay from their details. */
final class GoogleFailure {
  private GoogleFailure() {}

  static UpstreamFailure of(int status, int retryAfter, ErrorBody error) {
    return new UpstreamFailure(
        kind(status, error),
        status,
        error.message(),
        error.param(),
        error.reason() == null ? error.type() : error.reason(),
        retryAfter > 0 ? retryAfter : error.retryAfterSeconds());
  }

  private static Kind kind(int status, ErrorBody error) {
    return status == 499 ? Kind.SERVER_ERROR : ErrorKinds.of(status, error);
  }
}
