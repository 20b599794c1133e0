package dev.tollgate.server.wiring;

import static dev.tollgate.server.wiring.TestBrowser.PASSWORD;
import static dev.tollgate.server.wiring.TestBrowser.code;
import static dev.tollgate.server.wiring.TestBrowser.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.org.Invitations;
import dev.tollgate.server.account.org.Invitations.NewInvitation;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sign-up, the links in mails and invitations, with a mail server. */
final class LinkFlowsIT {
  private static final String OTHER_PASSWORD = "another horse 9 battery";
  private static final String OPERATOR = "boss@example.com";

  @TempDir private static Path folder;
  private static TestMailServer mails;
  private static TestGateway gateway;

  private TestBrowser browser;
  private final String email = UUID.randomUUID() + "@example.com";

  @BeforeAll
  static void start() throws Exception {
    mails = new TestMailServer();
    gateway =
        TestGateway.start(
            folder,
            TestGateway.CONFIGURATION.replace(
                    "control: { address: null }", "control: { address: \"127.0.0.1:0\" }")
                + "control_plane: { signup: open, email: { smtp: '%s', from: g@example.com } }\n"
                    .formatted(mails.url()));
    new TestBrowser(gateway).setUp(gateway, OPERATOR);
  }

  @BeforeEach
  void open() {
    browser = new TestBrowser(gateway);
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    mails.close();
  }

  private RawResponse signUp(String address) {
    return browser.post(
        "/api/v1/auth/sign-up",
        "{'email':'%s','password':'%s','name':'N'}".formatted(address, PASSWORD));
  }

  private RawResponse verify(String token) {
    return browser.post("/api/v1/auth/email/verify", "{'token':'" + token + "'}");
  }

  private static String reason(RawResponse response) throws Exception {
    return json(response).at("/error/details/reason").asText();
  }

  @Test
  void aNewAccountWorksOnceItsAddressIsVerified() throws Exception {
    assertThat(json(browser.get("/api/v1/meta")).path("signup").asText()).isEqualTo("open");
    assertThat(json(browser.get("/api/v1/meta")).path("mail").asBoolean()).isTrue();
    RawResponse made = signUp(email);
    assertThat(made.status()).isEqualTo(202);
    RawResponse known = signUp(OPERATOR);
    assertThat(known.status()).isEqualTo(202);
    assertThat(known.text()).isEqualTo(made.text());
    assertThat(code(browser.signIn(email, PASSWORD))).isEqualTo("email_not_verified");

    String token = mails.secretFor(email, "verify");
    RawResponse verified = verify(token);
    assertThat(verified.status()).isEqualTo(204);
    assertThat(verified.headers("set-cookie")).isEmpty();
    RawResponse again = verify(token);
    assertThat(again.status()).isEqualTo(400);
    assertThat(json(again).at("/error/param").asText()).isEqualTo("token");
    assertThat(reason(again)).isEqualTo("link_used_or_expired");
    assertThat(browser.signIn(email, PASSWORD).status()).isEqualTo(200);
  }

  @Test
  void aForgottenPasswordIsSetAnewByALinkWhichEndsAllSessions() throws Exception {
    TestBrowser.addPerson(gateway, email);
    assertThat(browser.signIn(email, PASSWORD).status()).isEqualTo(200);
    String forgot = "/api/v1/auth/password/forgot";
    RawResponse known = browser.post(forgot, "{'email':'" + email + "'}");
    RawResponse unknown = browser.post(forgot, "{'email':'nobody@example.com'}");
    assertThat(known.status()).isEqualTo(202);
    assertThat(unknown.status()).isEqualTo(202);
    assertThat(unknown.text()).isEqualTo(known.text());
    RawResponse resent =
        browser.post("/api/v1/auth/email/resend", "{'email':'nobody@example.com'}");
    assertThat(resent.status()).isEqualTo(202);
    assertThat(resent.text()).isEqualTo(known.text());

    String body = "{'token':'%s','password':'%s'}";
    String token = mails.secretFor(email, "reset");
    String reset = "/api/v1/auth/password/reset";
    assertThat(browser.post(reset, body.formatted(token, "short")).status()).isEqualTo(400);
    assertThat(browser.post(reset, body.formatted(token, OTHER_PASSWORD)).status()).isEqualTo(204);
    assertThat(browser.get("/api/v1/session").status()).isEqualTo(401);
    RawResponse again = browser.post(reset, body.formatted(token, OTHER_PASSWORD));
    assertThat(again.status()).isEqualTo(400);
    assertThat(reason(again)).isEqualTo("link_used_or_expired");
    assertThat(browser.signIn(email, PASSWORD).status()).isEqualTo(401);
    assertThat(browser.signIn(email, OTHER_PASSWORD).status()).isEqualTo(200);
  }

  @Test
  void anAddressChangesWhenTheNewMailboxConfirmsIt() throws Exception {
    TestBrowser.addPerson(gateway, email);
    var elsewhere = new TestBrowser(gateway);
    elsewhere.signIn(email, PASSWORD);
    browser.signIn(email, PASSWORD);
    String fresh = UUID.randomUUID() + "@example.com";
    assertThat(browser.post("/api/v1/me/email", "{'email':'" + fresh + "'}").status())
        .isEqualTo(202);
    assertThat(json(browser.get("/api/v1/session")).at("/user/email").asText()).isEqualTo(email);

    assertThat(verify(mails.secretFor(fresh, "verify")).status()).isEqualTo(204);
    assertThat(json(browser.get("/api/v1/session")).at("/user/email").asText()).isEqualTo(fresh);
    assertThat(elsewhere.get("/api/v1/session").status()).isEqualTo(401);
  }

  /** Returns the secret of the link, as an invitation's mail would have it. */
  private static String invite(String address) throws Exception {
    var pool = gateway.server().store().pool();
    UUID org;
    try (var connection = pool.getConnection();
        var select = connection.prepareStatement("SELECT id FROM organization");
        var row = select.executeQuery()) {
      assertThat(row.next()).isTrue();
      org = row.getObject("id", UUID.class);
    }
    var invitations = new Invitations(pool, (_, _, _, _, secret) -> Optional.of(secret.reveal()));
    OrgAccess access = OrgAccess.of(pool, Caller.cli(), new OrgId(org));
    return Objects.requireNonNull(
        invitations
            .create(access, new NewInvitation(address, Role.DEVELOPER), IdempotencyClaim.NONE)
            .inviteUrl());
  }

  private RawResponse accept(String token, String more) {
    return browser.post("/api/v1/auth/invitations/accept", "{'token':'" + token + "'" + more + "}");
  }

  @Test
  void anInvitationMakesANewPersonAMemberWhoIsSignedIn() throws Exception {
    String token = invite(email);
    JsonNode look =
        json(browser.post("/api/v1/auth/invitations/look", "{'token':'" + token + "'}"));
    assertThat(look.at("/organization/name").asText()).isEqualTo("demo");
    assertThat(look.path("email").asText()).isEqualTo(email);
    assertThat(look.path("role").asText()).isEqualTo("developer");
    assertThat(look.path("account_exists").asBoolean()).isFalse();
    assertThat(look.path("expires_at").asText()).endsWith("Z");

    assertThat(accept(token, "").status()).isEqualTo(400);
    RawResponse joined = accept(token, ",'name':'New','password':'" + PASSWORD + "'");
    assertThat(joined.status()).isEqualTo(200);
    assertThat(browser.cookie()).hasSize(43);
    assertThat(json(joined).at("/memberships/0/role").asText()).isEqualTo("developer");
    assertThat(json(browser.get("/api/v1/session")).at("/user/state").asText()).isEqualTo("active");
    assertThat(
            new TestBrowser(gateway)
                .post("/api/v1/auth/invitations/look", "{'token':'" + token + "'}")
                .status())
        .isEqualTo(404);
  }

  @Test
  void anAccountJoinsOnlyWhenItIsSignedIn() throws Exception {
    TestBrowser.addPerson(gateway, email);
    String token = invite(email);
    RawResponse stranger = accept(token, ",'name':'N','password':'" + PASSWORD + "'");
    assertThat(stranger.status()).isEqualTo(409);
    assertThat(reason(stranger)).isEqualTo("other_address");

    browser.signIn(email, PASSWORD);
    String before = Objects.requireNonNull(browser.cookie());
    String disable = "UPDATE user_account SET state = '%s' WHERE email = '" + email + "'";
    TestBrowser.sql(gateway, disable.formatted("disabled"));
    RawResponse disabled = accept(token, "");
    assertThat(disabled.status()).isEqualTo(403);
    assertThat(code(disabled)).isEqualTo("account_disabled");
    TestBrowser.sql(gateway, disable.formatted("active"));

    RawResponse joined = accept(token, "");
    assertThat(joined.status()).isEqualTo(200);
    assertThat(json(joined).at("/memberships/0/role").asText()).isEqualTo("developer");
    assertThat(browser.get("/api/v1/session").status()).isEqualTo(200);
    assertThat(browser.cookie()).as("a new right gives a new cookie").isNotEqualTo(before);
  }
}
