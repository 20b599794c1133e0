package dev.tollgate.core.dialect.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Classification of a provider's refusals by status and body
 * (docs/decisions/retries.md#classification).
 */
class OpenAiDialectTest {
  private static final Dialect DIALECT = Dialects.named("openai");

  @ParameterizedTest
  @CsvSource({
    "400, REJECTED",
    "401, CREDENTIAL_REFUSED",
    "402, CREDENTIAL_REFUSED",
    "403, CREDENTIAL_REFUSED",
    "404, MODEL_MISSING",
    "408, SERVER_ERROR",
    "413, TOO_LARGE",
    "422, REJECTED",
    "429, RATE_LIMITED",
    "500, SERVER_ERROR",
    "502, SERVER_ERROR",
    "503, SERVER_ERROR",
    "529, SERVER_ERROR",
    "599, SERVER_ERROR",
    "418, UNEXPECTED_REPLY",
    "302, UNEXPECTED_REPLY",
    "204, UNEXPECTED_REPLY",
    "999, UNEXPECTED_REPLY"
  })
  void theStatusAloneSaysTheKind(int status, Kind kind) {
    for (String body : new String[] {"", "<html>oops</html>", "{}", "[]", "null", "{\"error\":"}) {
      UpstreamFailure failure = failure(status, body);
      assertThat(failure.kind()).as(body).isEqualTo(kind);
      assertThat(failure.status()).isEqualTo(status);
      assertThat(failure.message()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "429 | {'error':{'message':'m','type':'insufficient_quota','code':'insufficient_quota'}}"
            + " | CREDENTIAL_REFUSED",
        "429 | {'error':{'message':'m','code':'billing_hard_limit_reached'}} | CREDENTIAL_REFUSED",
        "429 | {'error':{'message':'insufficient_quota?'}} | RATE_LIMITED",
        "429 | {'error':{'message':'Request too large for gpt-4o in organization org-x on tokens per"
            + " min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced"
            + " in order to run successfully.','type':'tokens','param':null,"
            + "'code':'rate_limit_exceeded'}} | LIMIT_TOO_LOW",
        "429 | {'error':{'message':'Rate limit reached for gpt-4o on tokens per min (TPM): Limit"
            + " 30000, Used 28554, Requested 3082.','type':'tokens','code':'rate_limit_exceeded'}}"
            + " | RATE_LIMITED",
        "413 | {'error':{'message':'Request too large for model m on tokens per minute (TPM): Limit"
            + " 6000, Requested 11814','type':'tokens','code':'rate_limit_exceeded'}}"
            + " | LIMIT_TOO_LOW",
        "400 | {'error':{'code':400,'message':'API key not valid. Please pass a valid API key.'}}"
            + " | CREDENTIAL_REFUSED",
        "400 | {'error':{'code':400,'message':'m','details':[{'reason':'API_KEY_INVALID'}]}}"
            + " | CREDENTIAL_REFUSED",
        "400 | {'code':'x','error':'Incorrect API key provided. You can'} | CREDENTIAL_REFUSED",
        "400 | {'error':{'message':'m','code':'context_length_exceeded'}} | CONTEXT_TOO_LONG",
        "400 | {'error':{'message':'This model's maximum context length is 8'}} | CONTEXT_TOO_LONG",
        "400 | {'error':{'message':'m','type':'exceed_context_size_error'}} | CONTEXT_TOO_LONG",
        "400 | {'error':{'message':'Your input exceeds the context window of this model.'}}"
            + " | CONTEXT_TOO_LONG",
        "400 | {'error':{'message':'m','code':'content_filter'}} | CONTENT_FILTERED",
        "400 | {'error':{'message':'m','innererror':{'code':'ResponsibleAIPolicyViolation'}}}"
            + " | CONTENT_FILTERED",
        "400 | {'error':{'message':'m','code':'model_decommissioned'}} | MODEL_MISSING",
        "400 | [{'error':{'code':400,'message':'m','status':'INVALID_ARGUMENT'}}] | REJECTED",
        "403 | {'error':{'code':403,'message':'x requires moderation. Your input was flagged'}}"
            + " | CONTENT_FILTERED",
        "403 | {'error':{'message':'You are not allowed to sample from this model'}}"
            + " | MODEL_MISSING",
        "403 | {'error':{'message':'m','code':403,'metadata':{'raw':'{`code`:`c`,`error`:`The"
            + " content was flagged`}'}}} | CONTENT_FILTERED",
        "403 | {'error':{'message':'m','code':403,'metadata':{'raw':'{`error`:{`message`:`m`,"
            + "`code`:`content_filter`}}'}}} | CONTENT_FILTERED",
        "400 | {'error':{'message':'Provider returned error','code':400,'metadata':{'raw':"
            + "'{`error`:{`message`:`m`,`code`:`context_length_exceeded`}}'}}} | CONTEXT_TOO_LONG",
        "403 | {'error':{'message':'m','metadata':{'raw':'not JSON'}}} | CREDENTIAL_REFUSED",
        "403 | {'error':{'message':'m','metadata':{'raw':7}}} | CREDENTIAL_REFUSED"
      })
  void theBodySaysWhatTheStatusDoesNot(int status, String body, Kind kind) {
    assertThat(
            failure(status, body.replace("'", "\"").replace("l\"s", "l's").replace("`", "\\\""))
                .kind())
        .isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Invalid value: 'insufficient_quota'. Supported values are: 'auto'.",
        "Invalid value: 'invalid_api_key'.",
        "tools[0].function.name: 'Incorrect API key provided' does not match",
        "unknown field billing_hard_limit_reached"
      })
  void whatAMessageQuotesFromTheClientDoesNotHarmTheCredential(String message) {
    UpstreamFailure failure = failure(400, "{\"error\":{\"message\":\"" + message + "\"}}");
    assertThat(failure.kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure.message()).isEqualTo(message);
  }

  @Test
  void messageParamAndCodeAreReadFromEveryShape() {
    UpstreamFailure openAi =
        failure(
            400, "{\"error\":{\"message\":\"m\",\"type\":\"t\",\"param\":\"p\",\"code\":\"c\"}}");
    assertThat(openAi).isEqualTo(new UpstreamFailure(Kind.REJECTED, 400, "m", "p", "c", 0));
    UpstreamFailure nulls =
        failure(400, "{\"error\":{\"message\":\"m\",\"param\":null,\"code\":null}}");
    assertThat(nulls).isEqualTo(new UpstreamFailure(Kind.REJECTED, 400, "m", null, null, 0));
    UpstreamFailure mistral =
        failure(400, "{\"object\":\"error\",\"message\":\"m\",\"param\":\"p\",\"code\":\"1300\"}");
    assertThat(mistral).isEqualTo(new UpstreamFailure(Kind.REJECTED, 400, "m", "p", "1300", 0));
    assertThat(failure(422, "{\"detail\":\"m\"}").message()).isEqualTo("m");
    UpstreamFailure fast =
        failure(
            422,
            "{\"detail\":[{\"loc\":[\"body\",\"loras\",0,\"path\"],\"msg\":\"str expected\"}]}");
    assertThat(fast)
        .isEqualTo(
            new UpstreamFailure(Kind.REJECTED, 422, "str expected", "loras[0].path", null, 0));
    assertThat(failure(401, "{\"error\":\"m\",\"error_type\":\"t\"}").message()).isEqualTo("m");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "5, -, 5",
        "0, -, 0",
        "1.2, -, 2",
        "59.1, -, 60",
        "3600, -, 3600",
        "86400, -, 3600",
        "-1, -, 60",
        "x, -, 60",
        "'', -, 0",
        "'Wed, 21 Oct 2026 07:28:00 GMT', -, 60",
        "99999999999, -, 60",
        "7, 1, 1",
        "7, 0, 7",
        "-, 9525, 10",
        "1e3, -, 60",
        "' 5', -, 60",
        "5., -, 60"
      })
  void retryAfterIsWholeSecondsRoundedUpAndAtMostAnHour(
      String seconds, String millis, int expected) {
    String[] lines =
        seconds == null
            ? new String[] {"Retry-After-Ms", millis}
            : millis == null
                ? new String[] {"Retry-After", seconds}
                : new String[] {"Retry-After", seconds, "retry-after-ms", millis};
    UpstreamFailure failure = DIALECT.failure(429, Headers.of(lines), new byte[0], 0);
    assertThat(failure.retryAfterSeconds()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Wed, 21 Oct 2026 07:28:30 GMT | Wed, 21 Oct 2026 07:28:00 GMT | 30",
        "Thu, 22 Oct 2026 00:00:01 GMT | Wed, 21 Oct 2026 23:59:59 GMT | 2",
        "Thu, 22 Oct 2026 07:28:00 GMT | Wed, 21 Oct 2026 07:28:00 GMT | 3600",
        "Wed, 21 Oct 2026 07:28:00 GMT | Wed, 21 Oct 2026 07:28:00 GMT | 0",
        "Wed, 21 Oct 2026 07:27:00 GMT | Wed, 21 Oct 2026 07:28:00 GMT | 0",
        "Wed, 21 Oct 2026 07:28:30 GMT | soon | 60",
        "Wed, 99 Oct 2026 07:28:30 GMT | Wed, 21 Oct 2026 07:28:00 GMT | 60"
      })
  void aDateToRetryAfterCountsFromTheProvidersOwnClock(String after, String date, int expected) {
    Headers headers = Headers.of("Retry-After", after, "Date", date);
    assertThat(DIALECT.failure(429, headers, new byte[0], 0).retryAfterSeconds())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "remaining-requests=0 reset-requests=6ms remaining-tokens=9 reset-tokens=50s | `` | 1",
        "remaining-requests=9 reset-requests=6ms remaining-tokens=0 reset-tokens=35.13s | `` | 36",
        "remaining-requests=0 reset-requests=2s remaining-tokens=0 reset-tokens=1s | `` | 2",
        "remaining-requests=9 reset-requests=1s remaining-tokens=2487 reset-tokens=35.13s"
            + " | 'type':'tokens' | 36",
        "remaining-requests=0 reset-requests=2m59.56s | `` | 60",
        "remaining-tokens=0 reset-tokens=1m0s | `` | 60",
        "remaining-tokens=0 reset-tokens=0s | `` | 0",
        "remaining-requests=0 reset-requests=12 | `` | 12",
        "remaining-requests=0 reset-requests=-1 | `` | 0",
        "remaining-tokens-minute=0 reset-tokens-minute=7.25 | `` | 8",
        "remaining-requests-day=0 reset-requests-day=43200.5 | `` | 60",
        "remaining=0 reset=1759671190500 | `` | 13",
        "remaining=0 reset=1759671180 | `` | 2",
        "remaining=0 reset=1759671000000 | `` | 0",
        "remaining=0 reset=1859671180000 | `` | 60",
        "remaining=0 reset=soon | `` | 0",
        "remaining=5 reset=1759671190000 | `` | 0",
        "remaining=0 reset=9 retry-after=0 | `` | 0",
        "x=1 | 'message':'Rate limit. Please try again in 6.780999999s. Visit' | 7",
        "x=1 | 'message':'Please try again in 1h2m.' | 60",
        "x=1 | 'message':'Please try again in 20ms' | 1",
        "x=1 | 'message':'Please try again in a while' | 0"
      })
  void aLimitThatNamesNoWaitSaysWhenItIsReset(String fields, String error, int expected) {
    List<String> lines = new ArrayList<>(List.of("date", "Sun, 05 Oct 2025 13:32:58 GMT"));
    for (String field : fields.split(" ", -1)) {
      String[] parts = field.split("=", 2);
      lines.add(parts[0].equals("retry-after") ? parts[0] : "x-ratelimit-" + parts[0]);
      lines.add(parts[1]);
    }
    Headers headers = Headers.of(lines.toArray(String[]::new));
    byte[] body = ("{'error':{" + error + "}}").replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    assertThat(DIALECT.failure(429, headers, body, body.length).retryAfterSeconds())
        .isEqualTo(expected);
    assertThat(DIALECT.failure(503, headers, body, body.length).retryAfterSeconds())
        .as("of another status")
        .isZero();
  }

  @Test
  void anErrorThatIsPassedOnIsReadAsItsProviderWroteIt() {
    UpstreamFailure failure =
        failure(
            400,
            "{\"error\":{\"message\":\"Provider returned error\",\"code\":400,\"metadata\":{\"raw\":"
                + "\"{\\\"error\\\":{\\\"message\\\":\\\"too hot\\\",\\\"param\\\":\\\"temperature\\\"}}\"}}}");
    assertThat(failure)
        .isEqualTo(new UpstreamFailure(Kind.REJECTED, 400, "too hot", "temperature", "400", 0));
  }

  @Test
  void googlesDelayIsReadFromTheDetails() {
    String body =
        "[{\"error\":{\"code\":429,\"message\":\"m\",\"details\":[{\"reason\":\"R\"},1,"
            + "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"34.4s\"}]}}]";
    assertThat(failure(429, body).retryAfterSeconds()).isEqualTo(35);
    assertThat(failure(429, body.replace("34.4s", "soon")).retryAfterSeconds()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'error':{'message':'m','code':502}} | SERVER_ERROR",
        "{'error':{'message':'m','code':'429'}} | RATE_LIMITED",
        "{'error':{'message':'m','status_code':400,'code':'tool_use_failed'}} | REJECTED",
        "{'error':{'message':'m','status':400,'innererror':"
            + "{'code':'ResponsibleAIPolicyViolation'}}} | CONTENT_FILTERED",
        "{'error':{'message':'m','type':'rate_limit_exceeded'}} | RATE_LIMITED",
        "{'error':{'message':'m','code':'insufficient_quota'}} | CREDENTIAL_REFUSED",
        "{'error':{'message':'m','type':'overloaded_error'}} | SERVER_ERROR",
        "{'error':{'message':'m','type':'server_error'}} | SERVER_ERROR",
        "{'error':{'message':'m','type':'invalid_request_error'}} | REJECTED",
        "{'error':{'message':'m','code':'context_length_exceeded'}} | CONTEXT_TOO_LONG",
        "{'error':{'message':'m','code':'invalid_api_key'}} | CREDENTIAL_REFUSED",
        "{'object':'error','message':'m','code':400} | REJECTED",
        "{'error':'m'} | UNEXPECTED_REPLY",
        "{'error':{}} | UNEXPECTED_REPLY",
        "not json | UNEXPECTED_REPLY"
      })
  void anErrorInsideA200IsReadAsTheStatusThatItNames(String body, Kind kind) {
    byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    assertThat(DIALECT.failureInside(json, 0, json.length).kind()).isEqualTo(kind);
  }

  @Test
  void aMessageIsCutToALengthThatFitsAReply() {
    String body = "{\"error\":{\"message\":\"" + "m".repeat(100_000) + "\"}}";
    assertThat(failure(400, body).message()).hasSizeBetween(1_000, 4_000);
  }

  @Test
  void theCredentialGoesIntoOneField() {
    assertThat(DIALECT.authorization(new Secret("k")))
        .containsExactly(new Field("authorization", "Bearer k"));
  }

  private static UpstreamFailure failure(int status, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return DIALECT.failure(status, Headers.EMPTY, bytes, bytes.length);
  }
}
