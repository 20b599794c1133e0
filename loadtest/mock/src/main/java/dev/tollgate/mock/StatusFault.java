package dev.tollgate.mock;

import static dev.tollgate.mock.MockFault.fault;

/**
 * Mock provider fault that changes the status: errors, redirects, and successes with the wrong
 * content.
 */
enum StatusFault implements MockFault {
  RATE_LIMITED(
      fault(
          "429",
          2,
          "429 with `Retry-After: k`",
          (d, k) -> refuse(d, 429, "tokens", "rate_limit_exceeded").header("Retry-After: " + k))),
  RATE_LIMITED_BARE(
      fault(
          "429-bare",
          "429 without Retry-After",
          (d, k) -> refuse(d, 429, "requests", "rate_limit_exceeded"))),
  QUOTA(
      fault(
          "429-quota",
          "429 `insufficient_quota`: the operator's account is empty",
          (d, k) -> refuse(d, 429, "insufficient_quota", "insufficient_quota"))),
  UNAUTHORIZED(
      fault(
          "401",
          "401: the operator's key is wrong",
          (d, k) -> refuse(d, 401, "invalid_request_error", "invalid_api_key"))),
  SERVER_ERROR(
      fault(
          "500",
          "500; with `?times=1` once, then healthy",
          (d, k) -> refuse(d, 500, "server_error", "server_error"))),
  UNAVAILABLE(
      fault("503", "503 on every request", (d, k) -> refuse(d, 503, "server_error", "overloaded"))),
  STATUS(
      fault(
          "status",
          500,
          "status k with an error body; 204 and 304 without one",
          (d, k) -> {
            if (k == 204 || k == 304) {
              d.raw("HTTP/1.1 " + k + " Empty\r\nX-Mock: 1\r\n\r\n", ReplyEnding.KEEP_ALIVE);
            } else {
              refuse(d, k, "status_" + k);
            }
          })),
  CONTEXT_LENGTH(
      fault(
          "context-length",
          "400 `context_length_exceeded`, param `messages`",
          (d, k) ->
              d.answer(
                  "400 Bad Request",
                  "application/json",
                  error(
                      "This model's maximum context length is 8192 tokens.",
                      "invalid_request_error",
                      "\"messages\"",
                      "context_length_exceeded")))),
  CONTENT_FILTER(
      fault(
          "content-filter",
          "400 `content_filter`, param `prompt`",
          (d, k) ->
              d.answer(
                  "400 Bad Request",
                  "application/json",
                  error(
                      "The prompt was filtered by the content policy.",
                      "invalid_request_error",
                      "\"prompt\"",
                      "content_filter")))),
  REDIRECT(
      fault(
          "302",
          "302 to a link-local address",
          (d, k) ->
              d.answer("302 Found", "text/plain", "moved")
                  .header("Location: http://169.254.169.254/latest/meta-data"))),
  WRONG_CONTENT_TYPE(
      fault(
          "wrong-content-type",
          "200 with an HTML page",
          (d, k) -> d.answer("200 OK", "text/html", "<!DOCTYPE html><title>Welcome</title>"))),
  HTML_ERROR(
      fault(
          "502-html",
          "502 with an HTML page",
          (d, k) ->
              d.answer("502 Bad Gateway", "text/html", "<html><h1>502 Bad Gateway</h1></html>"))),
  ERROR_IN_200(
      fault(
          "error-200",
          "200 with a JSON error object, also instead of a stream",
          (d, k) ->
              d.answer(
                  "200 OK",
                  "application/json",
                  error("The engine is overloaded.", "server_error", "null", "overloaded"))));

  @SuppressWarnings("ImmutableEnumChecker") // a record of constants and a lambda without state
  private final Spec spec;

  StatusFault(Spec spec) {
    this.spec = spec;
  }

  @Override
  public Spec spec() {
    return spec;
  }

  /** Returns the body of an OpenAI error; {@code param} is JSON. */
  static String error(String message, String type, String param, String code) {
    return "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":%s,\"code\":\"%s\"}}"
        .formatted(message, type, param, code);
  }

  static ReplyDraft refuse(ReplyDraft draft, int status, String code) {
    return refuse(draft, status, "server_error", code);
  }

  private static ReplyDraft refuse(ReplyDraft draft, int status, String type, String code) {
    return draft.answer(
        status + " Mock",
        "application/json",
        error("The mock provider answers " + status + ".", type, "null", code));
  }
}
