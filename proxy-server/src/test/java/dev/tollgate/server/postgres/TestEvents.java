package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.Next;
import dev.tollgate.core.webhook.Outbox.Places;
import dev.tollgate.core.webhook.Outbox.Reply;
import dev.tollgate.core.webhook.Outbox.Wish;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;

/** Events of jobs that are over, in books whose clock shows noon until it is set. */
final class TestEvents {
  static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Places PLACES = new Places(4, 16, 16);

  private final TestBooks books;

  TestEvents(TestBooks books) {
    this.books = books;
  }

  void clear() throws SQLException {
    books.execute("DELETE FROM webhook_delivery");
    books.execute("DELETE FROM webhook_slow");
    books.execute("DELETE FROM webhook_event");
    books.execute("DELETE FROM media_job");
    pass(0);
  }

  /** The clock shows noon and so many seconds. */
  void pass(double seconds) throws SQLException {
    books.setClock(NOON + Math.round(seconds * 1e3));
  }

  UUID event(OrgId org, String url) throws SQLException {
    UUID job = UUID.randomUUID();
    String request = RequestId.at(NOON).value();
    books.execute(
        "INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,"
            + " estimated_cost_micro, max_cost_micro, params, metadata, created_at, completed_at,"
            + " expires_at, next_look_at)"
            + " SELECT ?, ?, 'k', ?, '2026-11-22', 'video', 'm', 'p', 'succeeded', 1, 1, '{}',"
            + " '{}', ledger_now(), ledger_now(), ledger_now(), ledger_now()",
        job,
        org.value(),
        request);
    return UUID.fromString(
        books
            .execute(
                "INSERT INTO webhook_event (id, org_id, job_id, event, url, request_id, created_at,"
                    + " next_attempt_at) VALUES (?, ?, ?, 'job.completed', ?, ?, ledger_now(),"
                    + " ledger_now()) RETURNING id",
                UUID.randomUUID(),
                org.value(),
                job,
                url,
                request)
            .getFirst());
  }

  void events(int count, OrgId org, String url) throws SQLException {
    for (int n = 0; n < count; n++) {
      event(org, url);
    }
  }

  /** So much at most, of it half for slow receivers. */
  static Wish wish(int most) {
    return wish(most, most / 2);
  }

  static Wish wish(int most, int slowMost) {
    return new Wish(most, slowMost, PLACES, LEASE, Duration.ZERO);
  }

  static List<UUID> claim(Outbox node, int most) throws Exception {
    return node.claim(wish(most)).stream().map(Due::id).toList();
  }

  static Due take(Outbox node) throws Exception {
    List<Due> taken = node.claim(wish(1, 1));
    if (taken.size() != 1) {
      throw new AssertionError("taken: " + taken);
    }
    return taken.getFirst();
  }

  static Attempt attempt(Due due, String outcome, Next next) {
    return attempt(due, outcome, 7, next);
  }

  static Attempt attempt(Due due, String outcome, long millis, Next next) {
    OptionalInt status = outcome.equals("timed_out") ? OptionalInt.empty() : OptionalInt.of(500);
    return new Attempt(due, new Reply(status, outcome), Duration.ofMillis(millis), next);
  }

  static Next again(int seconds) {
    return new Next.Again(Duration.ofSeconds(seconds));
  }
}
