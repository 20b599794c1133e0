package dev.tollgate.server.wiring;

import static dev.tollgate.server.wiring.TestBrowser.PASSWORD;
import static dev.tollgate.server.wiring.TestBrowser.code;
import static dev.tollgate.server.wiring.TestBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawResponse;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signing in and out, and sessions, as a browser does it. */
final class SignInFlowsIT {
  private static final String ANN = "ann@example.com";

  @TempDir private static Path folder;
  private static TestGateway gateway;

  private TestBrowser browser;

  @BeforeAll
  static void start() throws Exception {
    gateway =
        TestGateway.start(
            folder,
            TestGateway.CONFIGURATION.replace(
                "control: { address: null }", "control: { address: \"127.0.0.1:0\" }"));
    new TestBrowser(gateway).setUp(gateway, ANN);
  }

  @BeforeEach
  void open() {
    browser = new TestBrowser(gateway);
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static String withoutRequestId(RawResponse response) {
    return response.text().replaceAll("req_[A-Za-z0-9_-]+", "req");
  }

  private String signedIn() {
    assertThat(browser.signIn(ANN, PASSWORD).status()).isEqualTo(200);
    return Objects.requireNonNull(browser.cookie());
  }

  @Test
  void unknownAddressesAndWrongPasswordsGetTheSameReply() throws Exception {
    RawResponse unknown = browser.signIn("nobody@example.com", PASSWORD);
    RawResponse wrong = browser.signIn(ANN, "another horse 9 battery");
    RawResponse noAddress = browser.signIn("nobody", PASSWORD);
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(code(wrong)).isEqualTo("invalid_credentials");
    assertThat(withoutRequestId(unknown)).isEqualTo(withoutRequestId(wrong));
    assertThat(withoutRequestId(noAddress)).isEqualTo(withoutRequestId(wrong));
    assertThat(unknown.headerLines().stream().map(line -> line.split(":", 2)[0]).toList())
        .isEqualTo(wrong.headerLines().stream().map(line -> line.split(":", 2)[0]).toList());
    assertThat(browser.cookie()).isNull();
  }

  @Test
  void aCookieFromBeforeIsNeverTakenOver() throws Exception {
    String planted = "A".repeat(43);
    browser.with(planted);
    String first = signedIn();
    assertThat(first).isNotEqualTo(planted).hasSize(43);
    assertThat(new TestBrowser(gateway).with(planted).get("/api/v1/session").status())
        .isEqualTo(401);

    String second = signedIn();
    assertThat(second).isNotEqualTo(first);
    assertThat(new TestBrowser(gateway).with(first).get("/api/v1/session").status()).isEqualTo(401);
    assertThat(browser.get("/api/v1/session").status()).isEqualTo(200);
  }

  @Test
  void signingOutEndsTheSessionAndClearsTheBrowser() throws Exception {
    String cookie = signedIn();
    RawResponse out = browser.post("/api/v1/auth/sign-out", "");
    assertThat(out.status()).isEqualTo(204);
    assertThat(out.headers("set-cookie"))
        .containsExactly("tollgate_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    assertThat(out.header("clear-site-data")).isEqualTo("\"cache\", \"storage\"");
    RawResponse after = new TestBrowser(gateway).with(cookie).get("/api/v1/session");
    assertThat(after.status()).isEqualTo(401);
    assertThat(code(after)).isEqualTo("unauthenticated");
    assertThat(browser.post("/api/v1/auth/sign-out", "").status()).isEqualTo(204);
  }

  @Test
  void aDisabledAccountSignsOutForGood() throws Exception {
    TestBrowser.addPerson(gateway, "disabled@example.com");
    assertThat(browser.signIn("disabled@example.com", PASSWORD).status()).isEqualTo(200);
    String cookie = browser.cookie();
    String state = "UPDATE user_account SET state = '%s' WHERE email = 'disabled@example.com'";
    TestBrowser.sql(gateway, state.formatted("disabled"));
    assertThat(code(browser.get("/api/v1/session"))).isEqualTo("account_disabled");
    assertThat(browser.post("/api/v1/auth/sign-out", "").status()).isEqualTo(204);
    assertThat(browser.cookie()).isNull();

    TestBrowser.sql(gateway, state.formatted("active"));
    assertThat(browser.with(cookie).get("/api/v1/session").status()).isEqualTo(401);
  }

  @Test
  void noOtherReplySetsACookie() {
    signedIn();
    assertThat(browser.get("/api/v1/session").headers("set-cookie")).isEmpty();
    assertThat(browser.get("/api/v1/meta").headers("set-cookie")).isEmpty();
    assertThat(browser.get("/").headers("set-cookie")).isEmpty();
  }

  @Test
  void anAccountNeedsAnInvitationUnlessSignUpIsOpen() throws Exception {
    RawResponse refused =
        browser.post(
            "/api/v1/auth/sign-up",
            "{'email':'n@example.com','password':'%s','name':'N'}".formatted(PASSWORD));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(code(refused)).isEqualTo("forbidden");
    assertThat(json(refused).at("/error/details/signup").asText()).isEqualTo("invite");
  }
}
