package dev.tollgate.core.dialect.gemini;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets of Google's two APIs, and classification of Vertex's errors. */
class VertexDialectTest {
  private static final String PATH = "/v1/projects/p/locations/l/publishers/x";

  private static Route route(String dialect, String path, String model) {
    var provider =
        new Provider(
            new ProviderId("g"),
            dialect,
            new EndpointIdentity(true, "h", 443),
            path,
            List.of(),
            Map.of(),
            Provider.ProviderTimeouts.DEFAULT,
            Provider.PoolLimits.DEFAULT,
            Provider.CircuitOptions.DEFAULT,
            Provider.Quirks.NONE,
            new Provider.OnDisconnect.Cancel(),
            1 << 20);
    return new Route(provider, model, 1, 1);
  }

  private static Model model(Route route) {
    return new Model(
        new ModelId("a", "m"),
        Modality.CHAT,
        "m",
        "",
        Instant.EPOCH,
        200_000,
        0,
        4_096,
        5_000,
        Set.of(),
        PriceList.ofTokens(TokenPrices.of(1, 1)),
        Resume.OFF,
        false,
        List.of(route),
        Duration.ZERO);
  }

  @ParameterizedTest
  @CsvSource({
    "gemini, '', true, /v1beta/models/m:streamGenerateContent?alt=sse",
    "gemini, '', false, /v1beta/models/m:generateContent",
    "gemini, /v1, false, /v1/models/m:generateContent",
    "gemini, /proxy, false, /proxy/v1beta/models/m:generateContent",
    "vertex, " + PATH + ", true, " + PATH + "/models/m:streamGenerateContent?alt=sse",
    "vertex, " + PATH + ", false, " + PATH + "/models/m:generateContent",
    "vertex-anthropic, " + PATH + ", true, " + PATH + "/models/m:streamRawPredict",
    "vertex-anthropic, " + PATH + ", false, " + PATH + "/models/m:rawPredict"
  })
  void theModelAndTheStreamAreInTheTarget(
      String dialect, String path, boolean stream, String target) {
    assertThat(Dialects.named(dialect).target(Operation.CHAT, route(dialect, path, "m"), stream))
        .isEqualTo(target);
  }

  @ParameterizedTest
  @CsvSource({
    "gemini, x-goog-api-key, t",
    "vertex, authorization, Bearer t",
    "vertex-anthropic, authorization, Bearer t"
  })
  void theKeyOrTheTokenIsInItsField(String dialect, String name, String value) {
    assertThat(Dialects.named(dialect).authorization(new Secret("t")))
        .containsExactly(new Field(name, value));
    assertThat(Dialects.named(dialect).fields()).isEmpty();
  }

  @Test
  void anthropicsBodyNamesItsVersionAndNoModel() throws Exception {
    byte[] json =
        "{\"model\":\"a/m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]}"
            .getBytes(UTF_8);
    Route route = route("vertex-anthropic", PATH, "claude-haiku-4-5@20251001");
    TranslatedRequest chat =
        Dialects.named("vertex-anthropic")
            .translation()
            .orElseThrow()
            .chat(JsonMembers.of(json, 0, json.length), route, model(route));
    JsonNode body = new ObjectMapper().readTree(chat.body().toString(UTF_8));
    assertThat(body)
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    "{\"anthropic_version\":\"vertex-2023-10-16\",\"max_tokens\":4096,"
                        + "\"stream\":true,\"messages\":[{\"role\":\"user\","
                        + "\"content\":[{\"type\":\"text\",\"text\":\"Hi.\"}]}]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "429 | {\"error\":{\"code\":429,\"message\":\"Quota\",\"status\":\"RESOURCE_EXHAUSTED\"}}"
            + " | RATE_LIMITED",
        "401 | {\"error\":{\"code\":401,\"message\":\"No\",\"status\":\"UNAUTHENTICATED\"}}"
            + " | CREDENTIAL_REFUSED",
        "400 | {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
            + "\"message\":\"prompt is too long: 2 > 1\"}} | CONTEXT_TOO_LONG",
        "400 | {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
            + "\"message\":\"input length and `max_tokens` exceed context limit: 2 + 1 > 2\"}}"
            + " | CONTEXT_TOO_LONG",
        "400 | {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
            + "\"message\":\"Output blocked by content filtering policy\"}} | CONTENT_FILTERED",
        "400 | [{\"error\":{\"code\":400,\"message\":\"User location is not supported\","
            + "\"status\":\"FAILED_PRECONDITION\"}}] | CREDENTIAL_REFUSED",
        "529 | {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"O\"}}"
            + " | SERVER_ERROR"
      })
  void errorsAreGooglesOrAnthropics(int status, String body, Kind kind) {
    byte[] json = body.getBytes(UTF_8);
    UpstreamFailure failure =
        Dialects.named("vertex-anthropic").failure(status, Headers.of(), json, json.length);
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.providerCode()).isNotNull();
  }
}
