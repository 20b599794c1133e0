package dev.tollgate.server.wiring;

import static dev.tollgate.server.wiring.TestBrowser.PASSWORD;
import static dev.tollgate.server.wiring.TestBrowser.code;
import static dev.tollgate.server.wiring.TestBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.signin.User;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A person's own account and sessions, as a browser sees them. */
final class OwnAccountFlowsIT {
  private static final String OTHER_PASSWORD = "another horse 9 battery";
  private static final String OPERATOR = "boss@example.com";

  @TempDir private static Path folder;
  private static TestGateway gateway;

  private static TestBrowser operator;
  private TestBrowser browser;
  private User user;
  private final String email = UUID.randomUUID() + "@example.com";

  @BeforeAll
  static void start() throws Exception {
    gateway =
        TestGateway.start(
            folder,
            TestGateway.CONFIGURATION.replace(
                "control: { address: null }", "control: { address: \"127.0.0.1:0\" }"));
    operator = new TestBrowser(gateway).setUp(gateway, OPERATOR);
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @BeforeEach
  void signIn() throws Exception {
    user = TestBrowser.addPerson(gateway, email);
    browser = anotherBrowser();
  }

  private TestBrowser anotherBrowser() throws Exception {
    return new TestBrowser(gateway).startSession(gateway, user);
  }

  private String cookie() {
    return Objects.requireNonNull(browser.cookie());
  }

  private static int statusOf(String cookie) {
    return new TestBrowser(gateway).with(cookie).get("/api/v1/session").status();
  }

  private void ageProof() throws Exception {
    TestBrowser.sql(
        gateway,
        """
        UPDATE user_session SET proven_at = ledger_now() - interval '11 minutes'
         WHERE user_id = (SELECT id FROM user_account WHERE email = '%s')"""
            .formatted(email));
  }

  @Test
  void aNewProofGivesANewCookieAndOpensWhatCanDoHarm() throws Exception {
    ageProof();
    RawResponse refused = browser.post("/api/v1/me/email", "{'email':'fresh@example.com'}");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(json(refused).at("/error/details/reason").asText())
        .isEqualTo("reauthentication_required");
    assertThat(browser.send("DELETE", "/api/v1/me", "").status()).isEqualTo(403);

    RawResponse wrong =
        browser.post("/api/v1/session/reauthenticate", "{'password':'not this one 9'}");
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(code(wrong)).isEqualTo("invalid_credentials");

    String before = cookie();
    RawResponse proven =
        browser.post("/api/v1/session/reauthenticate", "{'password':'" + PASSWORD + "'}");
    assertThat(proven.status()).isEqualTo(204);
    assertThat(cookie()).isNotEqualTo(before);
    assertThat(statusOf(before)).isEqualTo(401);
    RawResponse accepted = browser.post("/api/v1/me/email", "{'email':'fresh@example.com'}");
    assertThat(accepted.status()).isEqualTo(202);
    assertThat(json(browser.get("/api/v1/session")).at("/user/email").asText()).isEqualTo(email);
  }

  @Test
  void fieldsChangeByVersionAndRightsDoNot() throws Exception {
    RawResponse changed =
        browser.send("PATCH", "/api/v1/me", "{'name':'New Name','timezone':'Europe/Zurich'}");
    assertThat(changed.status()).isEqualTo(200);
    JsonNode user = json(changed);
    assertThat(user.path("name").asText()).isEqualTo("New Name");
    assertThat(user.path("timezone").asText()).isEqualTo("Europe/Zurich");
    assertThat(user.path("locale").asText()).isEqualTo("en");
    int version = user.path("version").asInt();
    assertThat(changed.header("etag")).isEqualTo("\"" + version + "\"");

    RawResponse stale =
        browser.send("PATCH", "/api/v1/me", "{'name':'X'}", "If-Match: \"" + (version - 1) + "\"");
    assertThat(stale.status()).isEqualTo(409);
    assertThat(json(stale).at("/error/details/current_version").asInt()).isEqualTo(version);

    RawResponse rights =
        browser.send(
            "PATCH",
            "/api/v1/me",
            "{'name':null,'email':'x@example.com','operator':true,'state':'active'}");
    assertThat(rights.status()).isEqualTo(400);
    assertThat(json(rights).at("/error/details/issues").findValuesAsText("param"))
        .containsExactlyInAnyOrder("name", "email", "operator", "state");
    assertThat(browser.send("PATCH", "/api/v1/me", "{'timezone':'Moon/Base'}").status())
        .isEqualTo(400);
  }

  @Test
  void aNewPasswordEndsOtherSessions() throws Exception {
    TestBrowser other = anotherBrowser();
    assertThat(browser.post("/api/v1/me/password", "{'new':'" + OTHER_PASSWORD + "'}").status())
        .isEqualTo(400);
    String body = "{'current':'%s','new':'%s'}";
    RawResponse wrong =
        browser.post("/api/v1/me/password", body.formatted("not this one 9", OTHER_PASSWORD));
    assertThat(wrong.status()).isEqualTo(401);
    RawResponse weak = browser.post("/api/v1/me/password", body.formatted(PASSWORD, "short"));
    assertThat(weak.status()).isEqualTo(400);
    assertThat(json(weak).at("/error/param").asText()).isEqualTo("new");

    String before = cookie();
    RawResponse changed =
        browser.post("/api/v1/me/password", body.formatted(PASSWORD, OTHER_PASSWORD));
    assertThat(changed.status()).isEqualTo(204);
    assertThat(cookie()).isNotEqualTo(before);
    assertThat(statusOf(before)).isEqualTo(401);
    assertThat(other.get("/api/v1/session").status()).isEqualTo(401);
    assertThat(browser.get("/api/v1/session").status()).isEqualTo(200);
    assertThat(other.signIn(email, PASSWORD).status()).isEqualTo(401);
    assertThat(other.signIn(email, OTHER_PASSWORD).status()).isEqualTo(200);
  }

  @Test
  void ownSessionsAreListedAndEnded() throws Exception {
    TestBrowser second = anotherBrowser();
    TestBrowser third = anotherBrowser();
    String secondId = json(second.get("/api/v1/session")).at("/session/id").asText();

    JsonNode list = json(browser.get("/api/v1/me/sessions"));
    assertThat(list.path("data")).hasSize(3);
    assertThat(list.path("data").findValuesAsText("current")).containsOnlyOnce("true");
    assertThat(list.path("data").findValuesAsText("id")).contains(secondId);
    assertThat(list.at("/data/0/ip").asText()).isEqualTo("127.0.0.1");
    assertThat(list.at("/data/0/how/0").asText()).isEqualTo("pwd");
    assertThat(list.path("next_cursor").isNull()).isTrue();

    String path = "/api/v1/me/sessions/" + secondId;
    assertThat(operator.send("DELETE", path, "").status()).isEqualTo(404);
    assertThat(browser.send("DELETE", "/api/v1/me/sessions/none", "").status()).isEqualTo(404);
    assertThat(browser.send("DELETE", path, "").status()).isEqualTo(204);
    assertThat(second.get("/api/v1/session").status()).isEqualTo(401);
    assertThat(third.get("/api/v1/session").status()).isEqualTo(200);
    assertThat(browser.send("DELETE", "/api/v1/me/sessions", "").status()).isEqualTo(204);
    assertThat(third.get("/api/v1/session").status()).isEqualTo(401);
    assertThat(browser.get("/api/v1/session").status()).isEqualTo(200);
  }

  @Test
  void anAccountEndsButNotThatOfTheLastOperator() throws Exception {
    RawResponse last = operator.send("DELETE", "/api/v1/me", "");
    assertThat(last.status()).isEqualTo(409);
    assertThat(json(last).at("/error/details/reason").asText()).isIn("last_owner", "last_operator");

    String before = cookie();
    RawResponse closed = browser.send("DELETE", "/api/v1/me", "");
    assertThat(closed.status()).isEqualTo(204);
    assertThat(browser.cookie()).isNull();
    assertThat(statusOf(before)).isEqualTo(401);
    assertThat(browser.signIn(email, PASSWORD).status()).isEqualTo(401);
  }

  @Test
  void aDisabledAccountIsRefusedWithItsCode() throws Exception {
    TestBrowser.sql(
        gateway, "UPDATE user_account SET state = 'disabled' WHERE email = '" + email + "'");
    RawResponse refused = browser.get("/api/v1/me/sessions");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(code(refused)).isEqualTo("account_disabled");
    assertThat(code(browser.signIn(email, PASSWORD))).isEqualTo("account_disabled");
    assertThat(browser.signIn(email, "not this one 9").status()).isEqualTo(401);
  }
}
