package dev.tollgate.core.dialect.bedrock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Headers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classification of Bedrock's errors by message, if the status is ambiguous. */
class BedrockFailureTest {
  private static UpstreamFailure failure(int status, String body) {
    byte[] json = body.getBytes(UTF_8);
    return Dialects.named("bedrock").failure(status, Headers.EMPTY, json, json.length);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Message\":\"User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:us-east-1::foundation-model/a because no identity-based policy allows it\"}"
            + " | MODEL_MISSING",
        "{\"message\":\"User: x is not authorized to perform: bedrock:ApplyGuardrail on resource: arn:aws:bedrock:us-east-1:2:guardrail/api-key-token\"}"
            + " | MODEL_MISSING",
        "{\"Message\":\"User: x is not authorized to perform: bedrock:CallWithBearerToken on resource: *\"}"
            + " | CREDENTIAL_REFUSED",
        "{\"message\":\"You don't have access to the model with the specified model ID.\"}"
            + " | MODEL_MISSING",
        "{\"message\":\"You invoked an unsupported model or your request did not allow prompt caching.\"}"
            + " | REJECTED",
        "{\"message\":\"Access to this guardrail is denied.\"} | MODEL_MISSING",
        "{\"message\":\"The security token included in the request is invalid.\"}"
            + " | CREDENTIAL_REFUSED",
        "{\"Message\":\"Authentication failed: Please make sure your API Key is valid.\"}"
            + " | CREDENTIAL_REFUSED",
        "{\"message\":\"Your account is not authorized to invoke this API operation.\"}"
            + " | CREDENTIAL_REFUSED",
        "{} | CREDENTIAL_REFUSED",
        "`` | CREDENTIAL_REFUSED"
      })
  void aDenialIsTheKeysOnlyWhereItSaysSo(String body, Kind kind) {
    assertThat(failure(403, body).kind()).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Message\":\"Input is too long for requested model.\"} | CONTEXT_TOO_LONG",
        "{\"message\":\"The model returned the following errors: input length and max_tokens exceed context limit: 197626 + 8192 > 200000, decrease input length or max_tokens and try again\"}"
            + " | CONTEXT_TOO_LONG",
        "{\"message\":\"The model returned the following errors: prompt is too long: 250000 tokens > 200000 maximum\"}"
            + " | CONTEXT_TOO_LONG",
        "{\"message\":\"The model returned the following errors: Output blocked by content filtering policy\"}"
            + " | CONTENT_FILTERED",
        "{\"message\":\"You invoked an unsupported model or your request did not allow prompt caching.\"}"
            + " | REJECTED",
        "{\"Message\":\"extraneous key [x] is not permitted\"} | REJECTED"
      })
  void aRejectionSaysWhatIsTooMuch(String body, Kind kind) {
    UpstreamFailure failure = failure(400, body);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.message()).isNotEmpty();
  }
}
