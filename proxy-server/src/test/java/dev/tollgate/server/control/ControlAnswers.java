package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.cli.ApiDocument;
import dev.tollgate.server.control.route.OpenApi;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Check of what every answer of the control plane must have, against its OpenAPI document too. */
final class ControlAnswers {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ApiDocument DOCUMENT = ApiDocument.of(OpenApi.DOCUMENT);
  private static final String JSON = "application/json";

  /** Calls that begin or end a session, or move it to another cookie. */
  private static final Set<String> SET_COOKIES =
      Set.of(
          "POST /api/v1/setup",
          "POST /api/v1/auth/sign-in",
          "POST /api/v1/auth/sign-out",
          "POST /api/v1/auth/invitations/accept",
          "POST /api/v1/session/reauthenticate",
          "POST /api/v1/me/password",
          "DELETE /api/v1/me");

  private ControlAnswers() {}

  static JsonNode json(RawResponse response) {
    try {
      return MAPPER.readTree(response.text());
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + response.text(), e);
    }
  }

  /** Returns a refusal's code, and its reason if it has one. */
  static String refusal(RawResponse response) {
    JsonNode error = json(response).path("error");
    String reason = error.at("/details/reason").asText();
    return error.path("code").asText() + (reason.isEmpty() ? "" : " " + reason);
  }

  static void require(String method, String target, RawResponse response) {
    String path = target.split("\\?", 2)[0];
    String call = method + " " + path;
    requireFields(call, response);
    boolean isAsset = path.startsWith("/assets/") && response.status() < 400;
    assertThat(response.header("cache-control"))
        .as("Cache-Control of %s", call)
        .isEqualTo(isAsset ? "public, max-age=31536000, immutable" : "no-store");
    if (path.startsWith("/api/")) {
      requireDescribed(method, path, response);
    }
    if (!path.startsWith("/api/") && response.status() == 200 && !isAsset) {
      requireShell(response);
    }
  }

  private static void requireFields(String call, RawResponse response) {
    assertThat(response.headers("x-content-type-options")).as(call).containsExactly("nosniff");
    assertThat(response.headers("x-request-id")).as("X-Request-Id of %s", call).hasSize(1);
    assertThat(response.header("x-request-id")).startsWith("req_");
    assertThat(response.rawText().toLowerCase(Locale.ROOT))
        .as(call)
        .doesNotContain("\naccess-control-");
    if (!SET_COOKIES.contains(call)) {
      assertThat(response.headers("set-cookie")).as("Set-Cookie of %s", call).isEmpty();
    }
  }

  private static void requireShell(RawResponse response) {
    assertThat(response.header("content-security-policy"))
        .contains("frame-ancestors 'none'", "default-src 'self'", "require-trusted-types-for");
    assertThat(response.header("cross-origin-opener-policy")).isEqualTo("same-origin");
    assertThat(response.header("cross-origin-resource-policy")).isEqualTo("same-origin");
    assertThat(response.header("referrer-policy")).isEqualTo("no-referrer");
  }

  private static void requireDescribed(String method, String path, RawResponse response) {
    var operation = DOCUMENT.at(method, path);
    if (operation.isEmpty()) {
      assertThat(response.status()).as("%s %s is not in the document", method, path).isEqualTo(404);
      return;
    }
    if (response.status() == 204 || response.status() == 304) {
      assertThat(response.text()).as("%s %s", method, path).isEmpty();
      assertThat(operation.get().has(204) || response.status() == 304).isTrue();
      return;
    }
    String type = Objects.requireNonNull(response.header("content-type"));
    assertThat(type).as("%s %s", method, path).startsWith(JSON);
    JsonNode answer = json(response);
    List<String> complaints =
        operation.get().has(response.status())
            ? operation.get().answer(response.status(), JSON, answer)
            : operation.get().otherAnswer(JSON, answer);
    assertThat(complaints)
        .as("the document of %s %s, of %s %s", method, path, response.status(), answer)
        .isEmpty();
    if (response.status() < 400) {
      assertThat(operation.get().has(response.status()))
          .as("status %s of %s %s in the document", response.status(), method, path)
          .isTrue();
    }
  }
}
