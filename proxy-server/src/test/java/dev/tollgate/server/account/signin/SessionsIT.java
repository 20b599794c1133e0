package dev.tollgate.server.account.signin;

import static dev.tollgate.server.account.signin.TestAccounts.anonymous;
import static dev.tollgate.server.account.signin.TestAccounts.refusal;
import static dev.tollgate.server.account.signin.TestAccounts.session;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.signin.ControlAuthenticator.Identity;
import dev.tollgate.server.postgres.session.Transactions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Lifetimes and ends of sessions, and control tokens. */
class SessionsIT {
  private static TestAccounts accounts;

  @BeforeAll
  static void open() throws Exception {
    accounts = TestAccounts.make();
  }

  @AfterAll
  static void close() {
    accounts.close();
  }

  private static void age(Caller caller, String assignments) throws Exception {
    accounts.sql(
        "UPDATE user_session SET %s WHERE id = '%s'".formatted(assignments, session(caller)));
  }

  @Test
  void aSessionEndsByDisuseAndByItsEnd() throws Exception {
    User user = accounts.user("ends@session.example");
    String idle = accounts.cookie(user);
    String old = accounts.cookie(user);
    age(accounts.caller(idle), "last_seen_at = ledger_now() - interval '12 hours 1 minute'");
    age(accounts.caller(old), "expires_at = ledger_now() - interval '1 second'");

    assertThat(refusal(() -> accounts.caller(idle))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(old))).isEqualTo("unauthenticated");
  }

  @Test
  void aCallIsRecordedAtMostOncePerMinute() throws Exception {
    Caller caller = accounts.caller(accounts.cookie(accounts.user("seen@session.example")));
    String cookie = accounts.cookie(accounts.user("seen2@session.example"));
    String lastSeen =
        "SELECT last_seen_at FROM user_session WHERE id = '" + session(accounts.caller(cookie));
    var fresh = accounts.query(lastSeen + "'");

    assertThat(accounts.caller(cookie)).isNotNull();
    assertThat(accounts.query(lastSeen + "'")).isEqualTo(fresh);
    age(accounts.caller(cookie), "last_seen_at = ledger_now() - interval '2 minutes'");
    var aged = accounts.query(lastSeen + "'");
    assertThat(accounts.caller(cookie)).isNotNull();
    assertThat(accounts.query(lastSeen + "'")).isNotEqualTo(aged);
    assertThat(caller).isNotNull();
  }

  @Test
  void aDisabledAccountIsRefusedAndWorksAgainWhenEnabled() throws Exception {
    User user = accounts.user("disabled@session.example");
    String cookie = accounts.cookie(user);
    accounts.users.change(
        Caller.cli(), user.id(), new OperatorUsers.UserChanges(UserState.DISABLED, null, null));

    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("account_disabled");
    accounts.users.change(
        Caller.cli(), user.id(), new OperatorUsers.UserChanges(UserState.ACTIVE, null, null));
    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("none");
  }

  @Test
  void signingOutEndsTheSessionOfTheCallOnly() throws Exception {
    User user = accounts.user("out@session.example");
    String first = accounts.cookie(user);
    String second = accounts.cookie(user);

    accounts.sessions.signOut(accounts.caller(first), first);
    accounts.sessions.signOut(anonymous(), "unknown");

    assertThat(refusal(() -> accounts.caller(first))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(second))).isEqualTo("none");
  }

  @Test
  void onesOwnSessionsAreListedAndEnded() throws Exception {
    User user = accounts.user("list@session.example");
    Caller current = accounts.caller(accounts.cookie(user));
    String other = accounts.cookie(user);
    String third = accounts.cookie(user);
    SessionId ofStranger =
        session(accounts.caller(accounts.cookie(accounts.user("stranger@session.example"))));

    assertThat(accounts.sessions.list(current))
        .hasSize(3)
        .filteredOn(Sessions.SessionEntry::current)
        .extracting(Sessions.SessionEntry::id)
        .containsExactly(session(current).value());
    assertThat(refusal(() -> accounts.sessions.revoke(current, ofStranger))).isEqualTo("not_found");
    accounts.sessions.revoke(current, session(accounts.caller(other)));
    assertThat(refusal(() -> accounts.caller(other))).isEqualTo("unauthenticated");
    accounts.sessions.revokeOthers(current);
    assertThat(refusal(() -> accounts.caller(third))).isEqualTo("unauthenticated");
    assertThat(accounts.sessions.list(current)).hasSize(1);
  }

  @Test
  void afterARoleChangeTheNextCallGetsANewCookieAndTheOldOneWorksForHalfAMinute() throws Exception {
    User user = accounts.user("role@session.example");
    String old = accounts.cookie(user);
    SessionId oldId = session(accounts.caller(old));
    Transactions.run(
        accounts.store.pool(),
        connection -> {
          Sessions.renewAll(connection, user.id());
          return user;
        });

    Identity first = accounts.authenticator.bySession(old);
    Identity second = accounts.authenticator.bySession(old);

    assertThat(first.newCookie()).isNotNull();
    String renewed = first.newCookie().reveal();
    assertThat(second.newCookie()).isNull();
    assertThat(session(accounts.caller(renewed))).isNotEqualTo(oldId);
    accounts.sql(
        "UPDATE user_session SET ended_at = ended_at - interval '31 seconds' WHERE id = '%s'"
            .formatted(oldId));
    assertThat(refusal(() -> accounts.caller(old))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(renewed))).isEqualTo("none");
    accounts.sessions.signOut(anonymous(), old);
    assertThat(refusal(() -> accounts.caller(renewed))).as("by an old cookie").isEqualTo("none");
  }

  @Test
  void theOldCookieOfARenewedSessionEndsWithTheNewOne() throws Exception {
    User user = accounts.user("role2@session.example");
    String old = accounts.cookie(user);
    Transactions.run(
        accounts.store.pool(),
        connection -> {
          Sessions.renewAll(connection, user.id());
          return user;
        });
    Identity moved = accounts.authenticator.bySession(old);
    assertThat(moved.newCookie()).isNotNull();

    String renewed = moved.newCookie().reveal();
    accounts.sessions.signOut(accounts.caller(old), old);

    assertThat(refusal(() -> accounts.caller(renewed))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(old))).isEqualTo("unauthenticated");
  }

  @Test
  void signingOutEndsTheSessionOfADisabledAccountToo() throws Exception {
    User user = accounts.user("disabled-out@session.example");
    String cookie = accounts.cookie(user);
    String other = accounts.cookie(user);
    accounts.users.change(
        Caller.cli(), user.id(), new OperatorUsers.UserChanges(UserState.DISABLED, null, null));

    accounts.sessions.signOut(anonymous(), cookie);

    accounts.users.change(
        Caller.cli(), user.id(), new OperatorUsers.UserChanges(UserState.ACTIVE, null, null));
    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("unauthenticated");
    assertThat(refusal(() -> accounts.caller(other))).isEqualTo("none");
    assertThat(
            accounts.query(
                "SELECT actor_kind || ' ' || actor_name FROM audit_event"
                    + " WHERE action = 'session.sign_out' AND actor_id = '"
                    + user.id()
                    + "'"))
        .containsExactly("user disabled-out@session.example");
  }

  @Test
  void provingAgainGivesANewCookieAndAFreshProof() throws Exception {
    User user = accounts.user("again@session.example");
    String cookie = accounts.cookie(user);
    Caller caller = accounts.caller(cookie);
    age(caller, "proven_at = ledger_now() - interval '1 hour'");
    Caller stale = accounts.caller(cookie);

    assertThat(
            refusal(() -> accounts.signIn.proveAgain(stale, new Secret("wrong horse 9 battery"))))
        .isEqualTo("invalid_credentials");
    String proven = accounts.signIn.proveAgain(stale, TestAccounts.PASSWORD).reveal();

    assertThat(refusal(() -> accounts.caller(cookie))).isEqualTo("unauthenticated");
    assertThat(accounts.caller(proven).person().provenAt()).isAfter(stale.person().provenAt());
  }

  @Test
  void aPersonsSessionsAreBounded() throws Exception {
    User user = accounts.user("many@session.example");
    String first = accounts.cookie(user);
    for (int i = 0; i < Sessions.PER_USER_MAX; i++) {
      Sessions.NewSession session =
          Transactions.run(
              accounts.store.pool(),
              open -> accounts.sessions.start(open, anonymous(), user.id(), List.of("pwd")));
      assertThat(session).isNotNull();
    }

    assertThat(refusal(() -> accounts.caller(first))).isEqualTo("unauthenticated");
    assertThat(
            accounts.query(
                "SELECT count(*) FROM user_session WHERE ended_at IS NULL AND user_id = '"
                    + user.id()
                    + "'"))
        .containsExactly("100");
  }

  @Test
  void theSessionShowsMembershipsWithTheirPermissions() throws Exception {
    User user = accounts.user("view@session.example");
    OrgId org = accounts.org("view", user.id());

    SessionView view = accounts.views.of(accounts.caller(accounts.cookie(user)));

    assertThat(view.user().email()).isEqualTo("view@session.example");
    assertThat(view.memberships()).hasSize(1);
    assertThat(view.memberships().getFirst().org().id()).isEqualTo(org.value());
    assertThat(view.memberships().getFirst().role()).isEqualTo("owner");
    assertThat(view.memberships().getFirst().permissions()).contains("keys_write_all");
    assertThat(view.session().idleExpiresAt()).isBefore(view.session().expiresAt());
  }

  private static String token(User maker, OrgId org, String role, String more) throws Exception {
    String text = ControlTokens.FORMAT.generate(new SecureRandom());
    accounts.sql(
        """
        INSERT INTO control_token (id, org_id, name, hash, last_four, role, created_by, expires_at)
        VALUES ('%s', %s, 'terraform', '\\x%s', '%s', '%s', '%s', ledger_now() + interval '1 day')
        """
            .formatted(
                ControlTokens.FORMAT.idIn(text),
                role.equals("operator") ? "NULL" : "'" + org + "'",
                HexFormat.of().formatHex(RandomSecret.hash(text)),
                text.substring(text.length() - 4),
                role,
                maker.id()));
    if (!more.isEmpty()) {
      accounts.sql(
          "UPDATE control_token SET %s WHERE id = '%s'"
              .formatted(more, ControlTokens.FORMAT.idIn(text)));
    }
    return text;
  }

  @Test
  void aControlTokenIsAPrincipalUntilItIsRevokedOrExpires() throws Exception {
    User maker = accounts.user("maker@token.example");
    OrgId org = accounts.org("tokens", maker.id());
    String ofOrg = token(maker, org, "admin", "");
    String ofPlatform = token(maker, org, "operator", "");
    String revoked = token(maker, org, "admin", "revoked_at = ledger_now()");
    String expired = token(maker, org, "admin", "expires_at = ledger_now()");
    String pinned = token(maker, org, "admin", "allowed_ips = '{10.0.0.0/8,2001:db8::/32}'");

    Principal.Token principal = accounts.authenticator.byToken(ofOrg, "192.0.2.1");
    assertThat(principal.org()).isEqualTo(org);
    assertThat(principal.name()).isEqualTo("terraform");
    assertThat(accounts.authenticator.byToken(ofPlatform, null).isOfPlatform()).isTrue();
    assertThat(accounts.authenticator.byToken(pinned, "10.1.2.3").org()).isEqualTo(org);
    assertThat(accounts.authenticator.byToken(pinned, "2001:db8::7").org()).isEqualTo(org);
    for (String each : List.of(revoked, expired, ofOrg + "x", "tgc_short", "sk-llm-abc", "")) {
      assertThat(refusal(() -> accounts.authenticator.byToken(each, "10.1.2.3")))
          .as(each)
          .isEqualTo("unauthenticated");
    }
    assertThat(refusal(() -> accounts.authenticator.byToken(pinned, "192.0.2.1")))
        .isEqualTo("unauthenticated");
    assertThat(
            accounts.query(
                "SELECT last_used_at IS NOT NULL FROM control_token WHERE id = '"
                    + ControlTokens.FORMAT.idIn(ofOrg)
                    + "'"))
        .containsExactly("t");
    assertThat(UUID.fromString(org.toString())).isNotNull();
  }
}
