package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.ErrorBody;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.openai.OpenAiDialect;

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

  // An invalid key answers 400, and so does a region or account that is not served.
  private static Kind kind(int status, ErrorBody error) {
    if (status == 400 && isAccountFault(error)) {
      return Kind.CREDENTIAL_REFUSED;
    }
    if (status == 403 && isFileFault(error)) {
      return Kind.REJECTED;
    }
    if (status == 400 && error.beginsWithAny("the input token count")) {
      return Kind.CONTEXT_TOO_LONG;
    }
    if (status == 400 && error.beginsWithAny("request payload size exceeds")) {
      return Kind.TOO_LARGE;
    }
    return status == 499 ? Kind.SERVER_ERROR : OpenAiDialect.kind(status, error);
  }

  /**
   * True if a failed precondition is the account's; others are the request's, such as a file that
   * is not ready.
   */
  private static boolean isAccountFault(ErrorBody error) {
    return error.codeContainsAny("failed_precondition")
        && error.beginsWithAny("user location", "gemini api free tier", "billing");
  }

  /** True if a file of the request is not available to this key, which is valid otherwise. */
  private static boolean isFileFault(ErrorBody error) {
    return error.beginsWithAny(
        "you do not have permission to access the file",
        "permission denied while accessing input file",
        "cachedcontent not found");
  }
}
