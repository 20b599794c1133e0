package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The error codes that only the control plane has: each is what a client gets. */
final class ControlCodesIT {
  private static final String IN_ORG = "/api/v1/orgs/0a000000-0000-4000-8000-000000000001";
  private static final String KEY = "{\"name\":\"one more\"}";

  private static ControlNode node;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    node = ControlNode.start(folder);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void putBack() throws Exception {
    node.rows().restore();
  }

  private static RawResponse signIn(String name, String password) {
    String body = "{\"email\":\"%s@example.com\",\"password\":\"%s\"}".formatted(name, password);
    return node.send("POST", "/api/v1/auth/sign-in", body, ControlNode.MARKED);
  }

  private static void requireRefused(int status, String code, RawResponse response) {
    assertThat(response.status() + " " + ControlAnswers.refusal(response))
        .as(response.text())
        .isEqualTo(status + " " + code);
  }

  private static RawResponse as(MatrixCaller caller, String method, String target, String body) {
    String credentials = node.credentials(caller).getFirst();
    return node.send(method, target, body, credentials, ControlNode.MARKED);
  }

  @Test
  void unauthenticated() {
    requireRefused(401, "unauthenticated", node.send("GET", "/api/v1/session", null));
    String ended = "Cookie: tollgate_session=" + "A".repeat(43);
    requireRefused(401, "unauthenticated", node.send("GET", "/api/v1/session", null, ended));
  }

  @Test
  void invalidCredentials() {
    requireRefused(401, "invalid_credentials", signIn("separate", "wrong horse 9 battery"));
    requireRefused(401, "invalid_credentials", signIn("nowhere", FixtureRows.PASSWORD));
    requireRefused(401, "invalid_credentials", signIn("disabled", "wrong horse 9 battery"));
    requireRefused(401, "invalid_credentials", signIn("pending", "wrong horse 9 battery"));
  }

  @Test
  void accountDisabled() {
    requireRefused(403, "account_disabled", signIn("disabled", FixtureRows.PASSWORD));
    String session = node.credentials(MatrixCaller.DISABLED).getFirst();
    requireRefused(403, "account_disabled", node.send("GET", "/api/v1/session", null, session));
  }

  @Test
  void emailNotVerified() {
    requireRefused(403, "email_not_verified", signIn("pending", FixtureRows.PASSWORD));
  }

  @Test
  void csrfFailed() {
    String session = node.credentials(MatrixCaller.OWNER).getFirst();
    requireRefused(403, "csrf_failed", node.send("POST", IN_ORG + "/keys", KEY, session));
    requireRefused(403, "csrf_failed", node.send("POST", "/api/v1/auth/sign-out", null));
  }

  @Test
  void forbidden() {
    RawResponse refused = as(MatrixCaller.VIEWER, "POST", IN_ORG + "/keys", KEY);
    requireRefused(403, "forbidden", refused);
  }

  @Test
  void conflict() throws Exception {
    node.rows().change("DELETE FROM membership WHERE user_id = '" + ControlNode.person(10) + "'");
    String credentials = node.credentials(MatrixCaller.OWNER).getFirst();
    RawResponse refused =
        node.send("POST", IN_ORG + "/leave", null, credentials, ControlNode.MARKED);
    requireRefused(409, "conflict last_owner", refused);
    RawResponse old =
        node.send(
            "PATCH",
            IN_ORG,
            "{\"display_name\":\"Acme\"}",
            credentials,
            ControlNode.MARKED,
            "If-Match: \"999\"");
    requireRefused(409, "conflict version", old);
  }

  @Test
  void maxApiKeysReached() throws Exception {
    node.rows().change("UPDATE organization SET max_api_keys = 1 WHERE name = 'main-org'");
    RawResponse refused = as(MatrixCaller.OWNER, "POST", IN_ORG + "/keys", KEY);
    requireRefused(409, "max_api_keys_reached", refused);
    assertThat(ControlAnswers.json(refused).at("/error/details/max").intValue()).isEqualTo(1);
  }
}
