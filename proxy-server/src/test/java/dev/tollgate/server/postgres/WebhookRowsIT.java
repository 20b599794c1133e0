package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.Next;
import dev.tollgate.core.webhook.Outbox.Reply;
import dev.tollgate.core.webhook.Outbox.Wish;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.WebhookEvents.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The outbox in a real database, by a clock that stands still until it is set. */
class WebhookRowsIT {
  private static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static TestBooks books;

  private static Outbox one;
  private static Outbox two;
  private OrgId org;

  @BeforeAll
  static void open() throws Exception {
    books = TestBooks.open();
    one = books.store().outbox("one");
    two = books.store().outbox("two");
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @BeforeEach
  void clear() throws Exception {
    books.execute("DELETE FROM webhook_delivery");
    books.execute("DELETE FROM webhook_event");
    books.execute("DELETE FROM media_job");
    pass(0);
    org = books.newOrg();
  }

  /** The clock shows noon and so many seconds. */
  private static void pass(double seconds) throws Exception {
    books.setClock(NOON + Math.round(seconds * 1e3));
  }

  private UUID event(String url) throws Exception {
    return event(org, url);
  }

  private static UUID event(OrgId org, String url) throws Exception {
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

  private static Wish wish(int most) {
    return new Wish(most, 4, 16, LEASE, Duration.ZERO);
  }

  private static List<UUID> claim(Outbox node, int most) throws Exception {
    return node.claim(wish(most)).stream().map(Due::id).toList();
  }

  private static Attempt attempt(UUID event, int number, String outcome, Next next) {
    OptionalInt status = outcome.equals("timed_out") ? OptionalInt.empty() : OptionalInt.of(500);
    return new Attempt(event, number, new Reply(status, outcome), Duration.ofMillis(7), next);
  }

  private static Next again(int seconds) {
    return new Next.Again(Duration.ofSeconds(seconds));
  }

  private Event only() throws Exception {
    List<Event> events = books.store().webhookEvents().latest(org, null, 10);
    assertThat(events).hasSize(1);
    return events.getFirst();
  }

  // Whose turn it is

  @Test
  void aClaimBringsAllThatAnAttemptNeeds() throws Exception {
    UUID id = event("https://Hook.Example:8443/in?token=t");
    pass(1.5);
    Due due = one.claim(wish(9)).getFirst();
    assertThat(due.id()).isEqualTo(id);
    assertThat(due.org()).isEqualTo(org);
    assertThat(due.event()).isEqualTo("job.completed");
    assertThat(due.url()).isEqualTo("https://Hook.Example:8443/in?token=t");
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(due.age()).isEqualTo(Duration.ofMillis(1_500));
    byte[] secret = books.store().organizations().webhookSecret(org.toString()).orElseThrow();
    assertThat(due.secrets())
        .extracting(WebhookSecret::reveal)
        .containsExactly(new WebhookSecret(secret).reveal());
    assertThat(only().host()).isEqualTo("hook.example");
  }

  @Test
  void ofAllWhoClaimAtOnceEachEventHasOne() throws Exception {
    for (int i = 0; i < 60; i++) {
      event("https://h" + i % 20 + ".example/");
    }
    List<Future<List<UUID>>> claims = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (int i = 0; i < 12; i++) {
        Outbox node = i % 2 == 0 ? one : two;
        Callable<List<UUID>> claim =
            () ->
                node.claim(new Wish(7, 4, 99, LEASE, Duration.ZERO)).stream().map(Due::id).toList();
        claims.add(threads.submit(claim));
      }
    }
    List<UUID> all = new ArrayList<>();
    for (Future<List<UUID>> each : claims) {
      all.addAll(each.get());
    }
    assertThat(all).hasSize(60).doesNotHaveDuplicates();
  }

  @Test
  void aDeadHostHasFourPlacesOnAllNodesAndTheOthersHaveTheirs() throws Exception {
    for (int i = 0; i < 40; i++) {
      event("https://dead.example" + (i % 2 == 0 ? "" : ":8443") + "/" + i);
    }
    pass(1);
    UUID live = event("https://live.example/");
    assertThat(claim(one, 64)).hasSize(5).contains(live);
    assertThat(claim(two, 64)).isEmpty();
    UUID second = event("https://live.example/2");
    assertThat(claim(two, 64)).containsExactly(second);
    pass(31.5);
    assertThat(claim(two, 64)).hasSize(6).contains(live, second);
  }

  @Test
  void anOrganizationOfManyDeadHostsLeavesPlacesForOthers() throws Exception {
    for (int i = 0; i < 30; i++) {
      event("https://dead" + i + ".example/");
    }
    pass(1);
    OrgId other = books.newOrg();
    UUID theirs = event(other, "https://live.example/");
    assertThat(claim(one, 4)).hasSize(4).contains(theirs);
    assertThat(claim(two, 64)).hasSize(13);
    assertThat(claim(one, 64)).isEmpty();
    assertThat(event(other, "https://live.example/2")).isIn(claim(one, 64));
  }

  @Test
  void firstAttemptsGoBeforeOthers() throws Exception {
    UUID old = event("https://a.example/");
    claim(one, 1);
    one.book(attempt(old, 1, "timed_out", again(5)));
    pass(6);
    UUID fresh = event("https://b.example/");
    assertThat(claim(one, 1)).containsExactly(fresh);
    assertThat(claim(one, 1)).containsExactly(old);
  }

  @Test
  void aFirstAttemptMayHaveToWait() throws Exception {
    event("https://a.example/");
    var wish = new Wish(9, 4, 16, LEASE, Duration.ofSeconds(10));
    pass(9.9);
    assertThat(one.claim(wish)).isEmpty();
    pass(10);
    assertThat(one.claim(wish)).hasSize(1);
  }

  // What came of it

  @Test
  void theWholeScheduleIsKeptAndWrittenDown() throws Exception {
    UUID id = event("https://a.example/");
    int[] waits = {5, 30, 120, 600, 1_800, 7_200, 18_000};
    double at = 0;
    for (int number = 1; number <= 8; number++) {
      Due due = one.claim(wish(1)).getFirst();
      assertThat(due.attempt()).isEqualTo(number);
      boolean isLast = number == 8;
      one.book(
          attempt(id, number, "bad_status", isLast ? new Next.Failed() : again(waits[number - 1])));
      if (!isLast) {
        at += waits[number - 1];
        pass(at - 0.001);
        assertThat(claim(two, 1)).as("before attempt %s", number + 1).isEmpty();
        pass(at);
      }
    }
    assertThat(claim(one, 9)).isEmpty();
    assertThat(only().state()).isEqualTo("failed");
    assertThat(only().lastStatus()).isEqualTo(500);
    assertThat(only().lastError()).isEqualTo("bad_status");
    assertThat(only().nextAttempt()).isNull();
    var attempts = books.store().webhookEvents().attempts(id);
    assertThat(attempts)
        .extracting(WebhookEvents.Attempt::number)
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(attempts.getLast().at()).isEqualTo(Instant.ofEpochMilli(NOON).plusSeconds(27_755));
    assertThat(attempts.getFirst().took()).isEqualTo(Duration.ofMillis(7));
  }

  @Test
  void whatIsDeliveredOrUnwantedEnds() throws Exception {
    UUID delivered = event("https://a.example/");
    claim(one, 1);
    one.book(attempt(delivered, 1, "ok", new Next.Delivered()));
    one.book(attempt(delivered, 1, "ok", new Next.Delivered())); // nobody heard of the first
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(only().lastError()).isNull();
    assertThat(books.store().webhookEvents().attempts(delivered)).hasSize(1);
    UUID gone = event("https://b.example/");
    claim(one, 1);
    one.book(attempt(gone, 1, "gone", new Next.Gone()));
    assertThat(books.store().webhookEvents().latest(org, "gone", 9))
        .extracting(Event::id)
        .containsExactly(gone);
    pass(100_000);
    assertThat(claim(one, 9)).isEmpty();
  }

  @Test
  void whatANodeTookToItsGraveComesAgainUnderTheSameNumber() throws Exception {
    UUID id = event("https://a.example/");
    claim(one, 1);
    pass(29.9);
    assertThat(claim(two, 1)).isEmpty();
    pass(30);
    Due again = two.claim(wish(1)).getFirst();
    assertThat(again.id()).isEqualTo(id);
    assertThat(again.attempt()).isEqualTo(1);
    // The first was only slow: its failure is not the second's, but what it delivered is delivered.
    one.book(attempt(id, 1, "timed_out", again(5)));
    assertThat(only().attempts()).isZero();
    one.book(attempt(id, 1, "ok", new Next.Delivered()));
    two.book(attempt(id, 1, "timed_out", again(5)));
    assertThat(only().state()).isEqualTo("delivered");
  }

  @Test
  void whatIsGivenBackIsDueAtOnce() throws Exception {
    UUID id = event("https://a.example/");
    claim(one, 1);
    two.release(id);
    assertThat(claim(two, 1)).isEmpty();
    one.release(id);
    assertThat(claim(two, 1)).containsExactly(id);
  }

  @Test
  void theDepthCountsWhatWaitsAndForHowLong() throws Exception {
    assertThat(one.depth()).isEqualTo(new Outbox.Depth(0, Duration.ZERO));
    UUID id = event("https://a.example/");
    event("https://b.example/");
    pass(2.5);
    assertThat(one.depth()).isEqualTo(new Outbox.Depth(2, Duration.ofMillis(2_500)));
    claim(one, 9);
    one.book(attempt(id, 1, "ok", new Next.Delivered()));
    assertThat(one.depth().pending()).isOne();
  }

  @Test
  void anOutboxWithoutAStoreSaysSo() throws Exception {
    Outbox away;
    try (TestBooks gone = TestBooks.open()) {
      away = gone.store().outbox("away");
    }
    assertThatThrownBy(() -> away.claim(wish(1))).isInstanceOf(Outbox.OutboxException.class);
  }

  // People

  @Test
  void whatIsSentAgainHasItsScheduleAgain() throws Exception {
    UUID id = event("https://a.example/");
    claim(one, 1);
    one.book(attempt(id, 1, "gone", new Next.Gone()));
    var events = books.store().webhookEvents();
    assertThat(events.resend(id)).isEqualTo(WebhookEvents.Resend.AGAIN);
    Due due = one.claim(wish(1)).getFirst();
    assertThat(due.id()).isEqualTo(id);
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(events.resend(UUID.randomUUID())).isEqualTo(WebhookEvents.Resend.UNKNOWN);
    books.execute("UPDATE media_job SET removed_at = ledger_now()");
    assertThat(events.resend(id)).isEqualTo(WebhookEvents.Resend.REMOVED);
  }

  @Test
  void attemptsAreRememberedForThirtyDays() throws Exception {
    UUID id = event("https://a.example/");
    claim(one, 1);
    one.book(attempt(id, 1, "timed_out", again(5)));
    var events = books.store().webhookEvents();
    pass(30 * 86_400);
    events.tidy();
    assertThat(events.attempts(id)).hasSize(1);
    assertThat(events.attempts(id).getFirst().status()).isNull();
    pass(30 * 86_400 + 1);
    events.tidy();
    assertThat(events.attempts(id)).isEmpty();
  }

  @Test
  void anOldSecretSignsBesideTheNewOneForAWhile() throws Exception {
    event("https://a.example/");
    var organizations = books.store().organizations();
    byte[] old = organizations.webhookSecret(org.toString()).orElseThrow();
    byte[] fresh =
        organizations.rotateWebhookSecret(org.toString(), Duration.ofHours(1)).orElseThrow();
    List<String> both = List.of(shown(fresh), shown(old));
    assertThat(secrets()).isEqualTo(both);
    pass(3_599);
    assertThat(secrets()).isEqualTo(both);
    pass(3_600);
    assertThat(secrets()).containsExactly(shown(fresh));
    byte[] last = organizations.rotateWebhookSecret(org.toString(), Duration.ZERO).orElseThrow();
    assertThat(secrets()).containsExactly(shown(last));
    assertThat(new HashSet<>(Set.of(shown(old), shown(fresh), shown(last)))).hasSize(3);
  }

  private static String shown(byte[] secret) {
    return new WebhookSecret(secret).reveal();
  }

  private List<String> secrets() throws Exception {
    Due due = one.claim(wish(1)).getFirst();
    one.release(due.id());
    return due.secrets().stream().map(WebhookSecret::reveal).toList();
  }
}
