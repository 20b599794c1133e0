package dev.tollgate.server.account.signin;

import static dev.tollgate.server.account.signin.TestAccounts.anonymous;
import static dev.tollgate.server.account.signin.TestAccounts.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Signing in by password: states of accounts, the throttle, and the cookie. */
class SignInIT {
  private static final Secret WRONG = new Secret("wrong horse 9 battery");
  private static TestAccounts accounts;

  @BeforeAll
  static void open() throws Exception {
    accounts = TestAccounts.make();
  }

  @AfterAll
  static void close() {
    accounts.close();
  }

  private static SignedIn signIn(String ip, String email, Secret password) throws SQLException {
    return accounts.signIn.signIn(anonymous(ip), new SignIn.SignInRequest(email, password));
  }

  @Test
  void theStateOfAnAccountTellsItsAnswerOnlyWithTheRightPassword() throws Exception {
    var closed = accounts.user("closed@states.example");
    String cookie = accounts.cookie(closed);
    accounts.own.close(accounts.caller(cookie));
    accounts.user("active@states.example");
    accounts.user("pending@states.example", UserState.PENDING, false);
    accounts.user("disabled@states.example", UserState.DISABLED, false);
    Map<String, String> right =
        Map.of(
            "active", "none",
            "pending", "email_not_verified",
            "disabled", "account_disabled",
            "closed", "invalid_credentials",
            "unknown", "invalid_credentials");

    for (var each : right.entrySet()) {
      String email = each.getKey() + "@states.example";
      assertThat(refusal(() -> signIn("192.0.2.7", email, TestAccounts.PASSWORD)))
          .as(email)
          .isEqualTo(each.getValue());
      assertThat(refusal(() -> signIn("192.0.2.8", email, WRONG)))
          .as(email)
          .isEqualTo("invalid_credentials");
    }
  }

  /** What takes most of the time is the same for all of them. */
  @Test
  void everyFailedSignInComputesOneHash() throws Exception {
    accounts.own.close(accounts.caller(accounts.cookie(accounts.user("closed@hash.example"))));
    accounts.user("active@hash.example");
    accounts.user("pending@hash.example", UserState.PENDING, false);
    accounts.user("disabled@hash.example", UserState.DISABLED, false);
    accounts.user("no-password@hash.example");
    accounts.sql(
        "UPDATE user_account SET password_hash = NULL WHERE email = 'no-password@hash.example'");
    List<String> addresses =
        List.of("active", "pending", "disabled", "no-password", "closed", "unknown", "no address");
    for (Secret password : List.of(WRONG, new Secret("x".repeat(300)))) {
      for (String each : addresses) {
        String email = each + "@hash.example";
        long before = accounts.passwords.computed();
        assertThat(refusal(() -> signIn("192.0.2.11", email, password)))
            .as(email)
            .isEqualTo("invalid_credentials");
        assertThat(accounts.passwords.computed() - before).as(email).isEqualTo(1);
      }
    }
  }

  @Test
  void theAddressIsComparedWithoutCase() throws Exception {
    accounts.user("Case@B\u00fccher.example");

    assertThat(signIn("192.0.2.9", "case@xn--bcher-kva.EXAMPLE", TestAccounts.PASSWORD).session())
        .extracting(view -> view.user().email())
        .isEqualTo("Case@B\u00fccher.example");
  }

  @Test
  void aPendingAccountGetsANewLinkAtMostOncePerMinute() throws Exception {
    accounts.user("pending@link.example", UserState.PENDING, false);
    for (int i = 0; i < 3; i++) {
      assertThat(refusal(() -> signIn("192.0.2.10", "pending@link.example", TestAccounts.PASSWORD)))
          .isEqualTo("email_not_verified");
    }

    assertThat(
            accounts.query(
                "SELECT kind FROM mail_outbox WHERE to_address = 'pending@link.example'"))
        .containsExactly("verify-email");
  }

  @Test
  void ofAThousandTriesOnThreeNodesFiveAreHashedAndTheOwnerGetsIn() throws Exception {
    accounts.user("flood@throttle.example");
    List<TestAccounts> nodes =
        List.of(
            new TestAccounts(accounts.store),
            new TestAccounts(accounts.store),
            new TestAccounts(accounts.store));
    List<Callable<String>> tries = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      TestAccounts node = nodes.get(i % nodes.size());
      var request = new SignIn.SignInRequest("flood@throttle.example", WRONG);
      tries.add(() -> refusal(() -> node.signIn.signIn(anonymous("198.51.100.1"), request)));
    }
    List<String> answers = new ArrayList<>();
    try (var clients = Executors.newFixedThreadPool(8)) {
      for (Future<String> each : clients.invokeAll(tries)) {
        answers.add(each.get());
      }
    }

    assertThat(answers).containsOnly("invalid_credentials", "rate_limited");
    assertThat(nodes.stream().mapToLong(node -> node.passwords.computed()).sum())
        .isBetween(1L, (long) Throttle.PER_ACCOUNT_AND_ADDRESS);
    assertThat(signIn("203.0.113.5", "flood@throttle.example", TestAccounts.PASSWORD).cookie())
        .isNotNull();
    nodes.forEach(node -> node.passwords.close());
  }

  @Test
  void theThrottleIsTheSameForUnknownAddressesAndNetworksOfIpv6() throws Exception {
    for (int i = 0; i < 5; i++) {
      String ip = "2001:db8:1:2::" + (i + 1);
      assertThat(refusal(() -> signIn(ip, "unknown@six.example", WRONG)))
          .isEqualTo("invalid_credentials");
    }

    assertThat(refusal(() -> signIn("2001:db8:1:2:ffff::9", "unknown@six.example", WRONG)))
        .isEqualTo("rate_limited");
    assertThat(refusal(() -> signIn("2001:db8:1:3::9", "unknown@six.example", WRONG)))
        .isEqualTo("invalid_credentials");
  }

  @Test
  void anAddressOfTheNetIsLimitedOverAllAccounts() throws Exception {
    for (int i = 0; i < Throttle.PER_ADDRESS; i++) {
      assertThat(accounts.throttle.begin("many" + i + "@spray.example", "198.51.100.9"))
          .isNotNull();
    }

    Refused tooMany = null;
    try {
      accounts.throttle.begin("another@spray.example", "198.51.100.9");
    } catch (Refused refused) {
      tooMany = refused;
    }
    assertThat(tooMany).isNotNull();
    assertThat(tooMany.fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);
    assertThat(tooMany.fault().retryAfterSeconds())
        .isBetween(Throttle.SIGN_IN_SECONDS - 60, Throttle.SIGN_IN_SECONDS);
  }

  @Test
  void theWindowEnds() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(accounts.throttle.begin("ends@window.example", "198.51.100.20")).isNotNull();
    }
    assertThat(refusal(() -> accounts.throttle.begin("ends@window.example", "198.51.100.20")))
        .isEqualTo("rate_limited");
    accounts.sql("UPDATE sign_in_throttle SET since = since - interval '15 minutes'");

    assertThat(refusal(() -> accounts.throttle.begin("ends@window.example", "198.51.100.20")))
        .isEqualTo("none");
  }

  @Test
  void aSuccessClearsTheAccountsCounter() throws Exception {
    accounts.user("clears@throttle.example");
    for (int i = 0; i < 4; i++) {
      assertThat(refusal(() -> signIn("198.51.100.30", "clears@throttle.example", WRONG)))
          .isEqualTo("invalid_credentials");
    }
    assertThat(signIn("198.51.100.30", "clears@throttle.example", TestAccounts.PASSWORD).cookie())
        .isNotNull();

    assertThat(refusal(() -> signIn("198.51.100.30", "clears@throttle.example", WRONG)))
        .isEqualTo("invalid_credentials");
  }

  @Test
  void theOwnerIsWarnedOnceAfterTenFailures() throws Exception {
    accounts.user("warned@throttle.example");
    for (int i = 0; i < 14; i++) {
      String ip = "198.51.101." + i;
      assertThat(refusal(() -> signIn(ip, "warned@throttle.example", WRONG)))
          .isEqualTo("invalid_credentials");
    }

    assertThat(
            accounts.query(
                "SELECT kind FROM mail_outbox WHERE to_address = 'warned@throttle.example'"))
        .containsExactly("sign-ins-failed");
  }

  @Test
  void failedSignInsOfKnownAccountsAreAudited() throws Exception {
    User user = accounts.user("audited@failed.example");

    assertThat(refusal(() -> signIn("198.51.100.40", user.email(), WRONG)))
        .isEqualTo("invalid_credentials");

    assertThat(
            accounts.query(
                "SELECT action || ' ' || actor_kind || ' ' || ip FROM audit_event WHERE target_id ="
                    + " '"
                    + user.id()
                    + "'"))
        .containsExactly("session.sign_in_failed system 198.51.100.40");
  }

  @Test
  void anOutdatedHashIsReplacedAtSignIn() throws Exception {
    User user = accounts.user("rehash@hash.example");

    try (var passwords = new Passwords()) {
      assertThat(new TestAccounts(accounts.store, passwords).cookie(user)).hasSize(43);
    }
    assertThat(
            accounts.query("SELECT password_hash FROM user_account WHERE id = '" + user.id() + "'"))
        .first()
        .asString()
        .startsWith("$argon2id$v=19$m=47104,t=1,p=1$");
  }

  @Test
  void aCookieFromBeforeIsNeverTakenOver() throws Exception {
    User user = accounts.user("fixation@cookie.example");
    String attackers = RandomSecret.generate().reveal();
    assertThat(refusal(() -> accounts.authenticator.bySession(attackers)))
        .isEqualTo("unauthenticated");

    String first = accounts.cookie(user);
    Caller signedIn = accounts.caller(first);
    String second =
        accounts
            .signIn
            .signIn(signedIn, new SignIn.SignInRequest(user.email(), TestAccounts.PASSWORD))
            .cookie()
            .reveal();

    assertThat(second).isNotIn(first, attackers);
    assertThat(refusal(() -> accounts.authenticator.bySession(attackers)))
        .isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.authenticator.bySession(first))).isEqualTo("unauthenticated");
    assertThat(accounts.authenticator.bySession(second).principal())
        .isInstanceOf(Principal.Person.class);
    assertThat(
            accounts.query(
                "SELECT encode(token_hash, 'base64') FROM user_session WHERE user_id = '"
                    + user.id()
                    + "'"))
        .hasSize(2)
        .doesNotContain(first, second);
  }

  @Test
  void noRecordShowsASecret() throws Exception {
    User user = accounts.user("canary@secret.example");
    var request = new SignIn.SignInRequest(user.email(), TestAccounts.PASSWORD);
    SignedIn signedIn = accounts.signIn.signIn(anonymous(), request);
    String shown =
        List.of(
                request,
                signedIn,
                new SignUp.SignUpRequest("a@b.example", TestAccounts.PASSWORD, "N"),
                new SetUp.SetUpRequest(
                    new Secret("setup token"), "a@b.example", TestAccounts.PASSWORD, "N"),
                NewAccount.require("a@b.example", TestAccounts.PASSWORD, "N"),
                user)
            .toString();

    assertThat(shown)
        .doesNotContain(
            TestAccounts.PASSWORD.reveal(), signedIn.cookie().reveal(), "argon2", "setup token");
  }
}
