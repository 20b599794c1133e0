package dev.tollgate.server.postgres;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.ClaimOptions;
import dev.tollgate.core.webhook.Outbox.ConcurrencyLimits;
import dev.tollgate.core.webhook.Outbox.NextStep;
import dev.tollgate.core.webhook.Outbox.ReceiverReply;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;

/** Webhook events of finished jobs, in a ledger store whose clock is at noon until it is set. */
public final class TestEvents {
  public static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  public static final Duration LEASE = Duration.ofSeconds(30);
  public static final ConcurrencyLimits PLACES = new ConcurrencyLimits(4, 16, 16);

  private final TestLedgerStore testStore;

  public TestEvents(TestLedgerStore testStore) {
    this.testStore = testStore;
  }

  public void clear() throws SQLException {
    testStore.execute("DELETE FROM webhook_delivery");
    testStore.execute("DELETE FROM webhook_slow");
    testStore.execute("DELETE FROM webhook_event");
    testStore.execute("DELETE FROM media_job");
    pass(0);
  }

  /** Sets the clock to noon plus {@code seconds}. */
  public void pass(double seconds) throws SQLException {
    testStore.setClock(NOON + Math.round(seconds * 1e3));
  }

  public UUID event(OrgId org, String url) throws SQLException {
    UUID job = UUID.randomUUID();
    String request = RequestId.at(NOON).value();
    testStore.execute(
        "INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,"
            + " estimated_cost_micro, max_cost_micro, params, metadata, created_at, completed_at,"
            + " expires_at, next_look_at)"
            + " SELECT ?, ?, 'k', ?, '2026-11-22', 'video', 'm', 'p', 'succeeded', 1, 1, '{}',"
            + " '{}', ledger_now(), ledger_now(), ledger_now(), ledger_now()",
        job,
        org.value(),
        request);
    return UUID.fromString(
        testStore
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

  /** Returns options for at most {@code most} events, half of them for slow receivers. */
  public static ClaimOptions claimOptions(int most) {
    return claimOptions(most, most / 2);
  }

  public static ClaimOptions claimOptions(int most, int slowMost) {
    return new ClaimOptions(most, slowMost, PLACES, LEASE, Duration.ZERO);
  }

  public static List<UUID> claim(Outbox node, int most) throws Exception {
    return node.claim(claimOptions(most)).stream().map(ClaimedEvent::id).toList();
  }

  public static ClaimedEvent take(Outbox node) throws Exception {
    List<ClaimedEvent> taken = node.claim(claimOptions(1, 1));
    if (taken.size() != 1) {
      throw new AssertionError("taken: " + taken);
    }
    return taken.getFirst();
  }

  public static Attempt attempt(ClaimedEvent due, String outcome, NextStep next) {
    return attempt(due, outcome, 7, next);
  }

  public static Attempt attempt(ClaimedEvent due, String outcome, long millis, NextStep next) {
    OptionalInt status = outcome.equals("timed_out") ? OptionalInt.empty() : OptionalInt.of(500);
    return new Attempt(due, new ReceiverReply(status, outcome), Duration.ofMillis(millis), next);
  }

  public static NextStep again(int seconds) {
    return new NextStep.Retry(Duration.ofSeconds(seconds));
  }
}
