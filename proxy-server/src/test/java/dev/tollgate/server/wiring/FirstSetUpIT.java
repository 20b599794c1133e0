package dev.tollgate.server.wiring;

import static dev.tollgate.server.wiring.TestBrowser.PASSWORD;
import static dev.tollgate.server.wiring.TestBrowser.code;
import static dev.tollgate.server.wiring.TestBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.ops.Logback;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** The first start of a gateway, whose link makes the first account. */
final class FirstSetUpIT {
  private static final String CONFIGURATION =
      TestGateway.CONFIGURATION.replace(
          "control: { address: null }", "control: { address: \"127.0.0.1:0\" }");

  @TempDir Path folder;

  private static String body(String token) {
    return "{'token':'%s','email':'ann@example.com','password':'%s','name':'Ann'}"
        .formatted(token, PASSWORD);
  }

  private static List<String> members(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void theLinkMakesAnOperatorOnce() throws Exception {
    var log = new ListAppender<ILoggingEvent>();
    log.start();
    var root = Logback.logger(Logger.ROOT_LOGGER_NAME);
    var level = root.getLevel();
    root.setLevel(Level.INFO);
    root.addAppender(log);
    String token;
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      assertThat(gateway.greeting().setUpUrl())
          .startsWith(gateway.greeting().controlUrl() + "/setup#");
      token = TestBrowser.setUpToken(gateway);
      assertThat(gateway.greeting().toString()).doesNotContain(token);
      var browser = new TestBrowser(gateway);
      assertThat(json(browser.get("/api/v1/meta")).path("setup_required").asBoolean()).isTrue();
      assertThat(browser.get("/api/v1/session").status()).isEqualTo(401);

      RawResponse wrong = browser.post("/api/v1/setup", body("x".repeat(43)));
      assertThat(wrong.status()).isEqualTo(401);
      assertThat(code(wrong)).isEqualTo("invalid_credentials");
      assertThat(wrong.header("set-cookie")).isNull();

      RawResponse made = browser.post("/api/v1/setup", body(token));
      assertThat(made.status()).isEqualTo(201);
      assertThat(made.headers("set-cookie"))
          .containsExactly(
              "tollgate_session=" + browser.cookie() + "; HttpOnly; SameSite=Lax; Path=/");
      assertThat(made.text()).doesNotContain(Objects.requireNonNull(browser.cookie()), token);
      checkSession(json(made));
      checkSession(json(browser.get("/api/v1/session")));

      RawResponse again = browser.post("/api/v1/setup", body(token));
      assertThat(again.status()).isEqualTo(404);
      assertThat(json(browser.get("/api/v1/meta")).path("setup_required").asBoolean()).isFalse();
    } finally {
      root.detachAppender(log);
      root.setLevel(level);
    }
    assertThat(log.list).isNotEmpty();
    assertThat(log.list).noneMatch(event -> event.getFormattedMessage().contains(token));
  }

  private static void checkSession(JsonNode session) {
    assertThat(members(session))
        .containsExactly("user", "session", "memberships", "operator", "enroll", "server");
    assertThat(members(session.path("user")))
        .containsExactly(
            "id",
            "email",
            "name",
            "state",
            "timezone",
            "locale",
            "totp",
            "password",
            "created_at",
            "version");
    assertThat(session.at("/user/email").asText()).isEqualTo("ann@example.com");
    assertThat(session.at("/user/state").asText()).isEqualTo("active");
    assertThat(members(session.path("session")))
        .containsExactly("id", "proven_at", "idle_expires_at", "expires_at");
    assertThat(session.path("operator").asBoolean()).isTrue();
    assertThat(session.path("enroll").isNull()).isTrue();
    JsonNode membership = session.at("/memberships/0");
    assertThat(members(membership)).containsExactly("org", "role", "permissions");
    assertThat(members(membership.path("org")))
        .containsExactly("id", "name", "display_name", "state");
    assertThat(membership.path("role").asText()).isEqualTo("owner");
    assertThat(membership.path("permissions").toString())
        .startsWith("[\"org_read\",\"org_update\",\"org_close\",\"members_write\"");
    assertThat(members(session.path("server"))).containsExactly("version", "node_id", "time");
    assertThat(session.at("/server/node_id").asText()).hasSize(36);
    assertThat(session.at("/server/time").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
  }

  @Test
  void theConfigurationMayNameTheFirstOperator() throws Exception {
    String bootstrap =
        "bootstrap: { admin_email: boss@a.example, admin_password: '%s' }\n".formatted(PASSWORD);
    try (var gateway = TestGateway.start(folder, CONFIGURATION + bootstrap)) {
      assertThat(gateway.greeting().setUpUrl()).isNull();
      var browser = new TestBrowser(gateway);
      assertThat(json(browser.get("/api/v1/meta")).path("setup_required").asBoolean()).isFalse();
      assertThat(browser.post("/api/v1/setup", body("x".repeat(43))).status()).isEqualTo(404);
      RawResponse signedIn = browser.signIn("boss@a.example", PASSWORD);
      assertThat(signedIn.status()).isEqualTo(200);
      assertThat(json(signedIn).path("operator").asBoolean()).isTrue();
    }
  }
}
