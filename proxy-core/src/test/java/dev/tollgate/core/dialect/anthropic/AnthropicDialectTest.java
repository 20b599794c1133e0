package dev.tollgate.core.dialect.anthropic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.testkit.AnthropicWire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnthropicDialectTest {
  private static final Dialect DIALECT = Dialects.named("anthropic");

  private static UpstreamFailure failure(int status, String type, String message, String... lines) {
    byte[] body = AnthropicWire.errorBody(type, message).getBytes(UTF_8);
    return DIALECT.failure(status, Headers.of(lines), body, body.length);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | invalid_request_error | Your credit balance is too low to access it | CREDENTIAL_REFUSED",
        "400 | invalid_request_error | prompt is too long: 210000 tokens > 200000 | CONTEXT_TOO_LONG",
        "400 | invalid_request_error | input length and `max_tokens` exceed context limit: 1 + 2 > 2"
            + " | CONTEXT_TOO_LONG",
        "400 | invalid_request_error | Output blocked by content filtering policy | CONTENT_FILTERED",
        "400 | invalid_request_error | messages.0: wrong | REJECTED",
        "401 | authentication_error | invalid x-api-key | CREDENTIAL_REFUSED",
        "403 | permission_error | no | CREDENTIAL_REFUSED",
        "404 | not_found_error | model: x | MODEL_MISSING",
        "413 | request_too_large | no | TOO_LARGE",
        "429 | rate_limit_error | no | RATE_LIMITED",
        "500 | api_error | no | SERVER_ERROR",
        "529 | overloaded_error | Overloaded | SERVER_ERROR",
      })
  void aRefusalIsOfItsClassAlsoInsideAStream(int status, String type, String message, Kind kind) {
    UpstreamFailure failure = failure(status, type, message);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.message()).isEqualTo(message);
    assertThat(failure.providerCode()).isEqualTo(type);
    byte[] event = AnthropicWire.errorBody(type, message).getBytes(UTF_8);
    assertThat(DIALECT.failureInside(event, 0, event.length).kind()).isEqualTo(kind);
  }

  @Test
  void aRefusalWithoutAWaitWaitsForTheLimitThatIsUsedUp() {
    String[] lines = {
      "date", "Mon, 02 Jun 2025 15:14:40 GMT",
      "anthropic-ratelimit-requests-remaining", "0",
      "anthropic-ratelimit-requests-reset", "2025-06-02T15:14:45Z",
      "anthropic-ratelimit-input-tokens-remaining", "0",
      "anthropic-ratelimit-input-tokens-reset", "2025-06-02T15:15:10Z",
      "anthropic-ratelimit-output-tokens-remaining", "80000",
      "anthropic-ratelimit-output-tokens-reset", "2025-06-02T15:59:10Z"
    };
    assertThat(failure(429, "rate_limit_error", "no", lines).retryAfterSeconds()).isEqualTo(30);
    assertThat(failure(429, "rate_limit_error", "no", "retry-after", "16").retryAfterSeconds())
        .isEqualTo(16);
    assertThat(failure(429, "rate_limit_error", "no").retryAfterSeconds()).isZero();
    lines[1] = "yesterday";
    assertThat(failure(429, "rate_limit_error", "no", lines).retryAfterSeconds()).isZero();
  }
}
