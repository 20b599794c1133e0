package dev.tollgate.server.account.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.account.Caller;
import dev.tollgate.server.postgres.tenants.AccountRetention;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How long sessions, links, counters, invitations, mails and the audit log are kept. */
class AccountRetentionIT {
  private static TestAccounts accounts;
  private static AccountRetention retention;

  @BeforeAll
  static void open() throws Exception {
    accounts = TestAccounts.make();
    retention = accounts.store.accountRetention();
  }

  @AfterAll
  static void close() {
    accounts.close();
  }

  @Test
  void whatIsOverIsDeletedInPortionsAndTheRestStays() throws Exception {
    User user = accounts.user("kept@retention.example");
    Caller live = accounts.caller(accounts.cookie(user));
    accounts.sql(
        """
        INSERT INTO user_session (id, user_id, token_hash, expires_at, ended_at, ended_why, how, ip,
                                  user_agent)
        SELECT gen_random_uuid(), id, sha256(n::text::bytea),
               ledger_now() - make_interval(days => CASE WHEN n = 0 THEN 29 ELSE 31 END),
               NULL, NULL, '{pwd}', '', ''
          FROM user_account, generate_series(0, 2500) n""");
    accounts.sql(
        """
        INSERT INTO one_time_token (token_hash, purpose, user_id, expires_at)
        SELECT sha256(n::text::bytea), 'reset_password', id,
               ledger_now() - make_interval(hours => 23 + 2 * n)
          FROM user_account, generate_series(0, 1) n""");
    accounts.sql(
        """
        INSERT INTO sign_in_throttle (bucket, count, since)
        VALUES ('a', 1, ledger_now() - interval '3 days'), ('b', 1, ledger_now())""");
    accounts.sql(
        """
        INSERT INTO control_idempotency (actor, route, key, body_sha256, at)
        SELECT 'user:x', 'K2', n::text, sha256('x'),
               ledger_now() - make_interval(hours => 23 + 2 * n)
          FROM generate_series(0, 1) n""");
    accounts.sql(
        """
        INSERT INTO mail_outbox (id, to_address, kind, message, next_try_at, lease_until)
        SELECT gen_random_uuid(), 'a@b', 'verify-email', 'x', 'infinity',
               ledger_now() - make_interval(days => 6 + 2 * n)
          FROM generate_series(0, 1) n""");

    assertThat(retention.deleteExpired()).isEqualTo(2_500 + 4);

    assertThat(retention.deleteExpired()).isZero();
    assertThat(retention.liveSessions()).isEqualTo(1);
    assertThat(accounts.sessions.list(live)).hasSize(1);
    for (String each :
        new String[] {
          "user_session WHERE ended_at IS NULL AND expires_at < ledger_now()",
          "one_time_token",
          "sign_in_throttle WHERE bucket = 'b'",
          "control_idempotency",
          "mail_outbox"
        }) {
      assertThat(accounts.query("SELECT count(*) FROM " + each)).as(each).containsExactly("1");
    }
  }

  @Test
  void monthsOfTheAuditLogAreMadeAheadAndDroppedWhole() throws Exception {
    accounts.sql("SELECT audit_month((ledger_now() - interval '435 days')::date)");
    accounts.sql("SELECT audit_month((ledger_now() - interval '395 days')::date)");
    accounts.sql(
        "INSERT INTO audit_event (at, actor_kind, action)"
            + " VALUES (ledger_now() - interval '435 days', 'system', 'user.verify')");
    String months = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_event'::regclass";
    assertThat(accounts.query(months)).containsExactly("4");

    retention.createMonths();
    retention.deleteExpired();

    assertThat(accounts.query(months)).containsExactly("3");
    assertThat(accounts.query("SELECT count(*) FROM audit_event WHERE action = 'user.verify'"))
        .containsExactly("0");
  }
}
