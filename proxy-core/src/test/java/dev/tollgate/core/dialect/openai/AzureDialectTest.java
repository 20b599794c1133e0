package dev.tollgate.core.dialect.openai;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets, key field and errors of Azure. */
class AzureDialectTest {
  private static final Dialect AZURE = Dialects.named("azure");

  private static Provider provider(String path, String query) {
    return TestCatalog.addressed("azure", "alpha", path, query);
  }

  @ParameterizedTest
  @CsvSource({
    "/openai/deployments/{deployment}, ?api-version=1, CHAT,"
        + " /openai/deployments/my%20gpt%2F4/chat/completions?api-version=1",
    "/openai/deployments/{deployment}, ?api-version=1, EMBEDDING,"
        + " /openai/deployments/my%20gpt%2F4/embeddings?api-version=1",
    "/x/openai/v1, '', CHAT, /x/openai/v1/chat/completions",
    "/models, ?api-version=2, CHAT, /models/chat/completions?api-version=2",
    "/models, ?api-version=2, COMPLETION, /models/completions?api-version=2"
  })
  void eachInterfaceHasItsAddress(String path, String query, Operation operation, String target) {
    Route route = new Route(provider(path, query), "my gpt/4", 1, 1);
    assertThat(AZURE.target(operation, route, true)).isEqualTo(target);
    assertThat(AZURE.target(operation, route, false)).isEqualTo(target);
  }

  @Test
  void theKeyIsTriedWhereThatCostsNothing() {
    assertThat(AZURE.credentialCheck(provider("/openai/deployments/{deployment}", "?v=1")))
        .contains("/openai/models?v=1");
    assertThat(AZURE.credentialCheck(provider("/openai/v1", ""))).contains("/openai/v1/models");
    assertThat(AZURE.credentialCheck(provider("/models", "?v=1"))).isEmpty();
    assertThat(AZURE.authorization(new Secret("k"))).containsExactly(new Field("api-key", "k"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "429 | {\"error\":{\"code\":\"429\",\"message\":\"Too much. Please retry after 45 seconds.\"}}"
            + " | RATE_LIMITED | 45",
        "429 | {\"error\":{\"code\":\"RateLimitReached\",\"message\":\"Your requests\"}}"
            + " | RATE_LIMITED | 0",
        "404 | {\"error\":{\"code\":\"DeploymentNotFound\",\"message\":\"no\"}}"
            + " | MODEL_MISSING | 0",
        "401 | {\"error\":{\"code\":\"401\",\"message\":\"Access denied\"}}"
            + " | CREDENTIAL_REFUSED | 0",
        "400 | {\"error\":{\"message\":\"The response was filtered\",\"code\":\"content_filter\","
            + "\"innererror\":{\"code\":\"ResponsibleAIPolicyViolation\"}}} | CONTENT_FILTERED | 0",
        "422 | {\"error\":{\"code\":\"Invalid input\",\"message\":\"bad\",\"status\":422}}"
            + " | REJECTED | 0"
      })
  void aRefusalIsOfItsClass(int status, String body, Kind kind, int wait) {
    byte[] json = body.getBytes(UTF_8);
    UpstreamFailure failure = AZURE.failure(status, Headers.of(), json, json.length);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.retryAfterSeconds()).isEqualTo(wait);
  }

  @Test
  void aFilteredPromptInsideA200IsNotTheServersFault() {
    byte[] json =
        "{\"error\":{\"code\":\"content_filter\",\"message\":\"no\",\"status\":400}}"
            .getBytes(UTF_8);
    assertThat(AZURE.failureInside(json, 0, json.length).kind()).isEqualTo(Kind.CONTENT_FILTERED);
  }
}
