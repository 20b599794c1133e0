package dev.tollgate.server.postgres.webhook;

import static dev.tollgate.server.postgres.TestEvents.LEASE;
import static dev.tollgate.server.postgres.TestEvents.NOON;
import static dev.tollgate.server.postgres.TestEvents.PLACES;
import static dev.tollgate.server.postgres.TestEvents.again;
import static dev.tollgate.server.postgres.TestEvents.attempt;
import static dev.tollgate.server.postgres.TestEvents.claim;
import static dev.tollgate.server.postgres.TestEvents.claimOptions;
import static dev.tollgate.server.postgres.TestEvents.take;
import static dev.tollgate.server.postgres.TestLedgerStore.opened;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.ClaimOptions;
import dev.tollgate.core.webhook.Outbox.ConcurrencyLimits;
import dev.tollgate.core.webhook.Outbox.NextStep;
import dev.tollgate.core.webhook.Outbox.RecordResult;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.TestEvents;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.webhook.WebhookEvents.WebhookEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Outbox in a real database, with a clock that only tests move. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresOutboxIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static TestEvents events;
  private static Outbox one;
  private static Outbox two;
  private OrgId org;

  @BeforeAll
  static void open() throws Exception {
    events = new TestEvents(testStore);
    one = testStore.store().outbox("one");
    two = testStore.store().outbox("two");
  }

  @BeforeEach
  void clear() throws Exception {
    events.clear();
    org = testStore.newOrg();
  }

  private static void pass(double seconds) throws Exception {
    events.pass(seconds);
  }

  private UUID event(String url) throws Exception {
    return events.event(org, url);
  }

  private WebhookEvent only() throws Exception {
    List<WebhookEvent> events = testStore.store().webhookEvents().latest(org, null, 10);
    assertThat(events).hasSize(1);
    return events.getFirst();
  }

  // Claims

  @Test
  void aClaimBringsAllThatAnAttemptNeeds() throws Exception {
    UUID id = event("https://Hook.Example:8443/in?token=t");
    pass(1.5);
    ClaimedEvent due = one.claim(claimOptions(9)).getFirst();
    assertThat(due.id()).isEqualTo(id);
    assertThat(due.org()).isEqualTo(org);
    assertThat(due.event()).isEqualTo("job.completed");
    assertThat(due.url()).isEqualTo("https://Hook.Example:8443/in?token=t");
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(due.age()).isEqualTo(Duration.ofMillis(1_500));
    byte[] secret = opened(testStore.store().webhookSecrets().of(org.toString()));
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
                node
                    .claim(
                        new ClaimOptions(
                            7, 32, new ConcurrencyLimits(4, 16, 99), LEASE, Duration.ZERO))
                    .stream()
                    .map(ClaimedEvent::id)
                    .toList();
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
  void aDeadHostHasFourAttemptsOnAllNodesAndOthersHaveTheirs() throws Exception {
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
    OrgId other = testStore.newOrg();
    UUID theirs = events.event(other, "https://live.example/");
    assertThat(claim(one, 4)).hasSize(4).contains(theirs);
    assertThat(claim(two, 64)).hasSize(13);
    assertThat(claim(one, 64)).isEmpty();
    assertThat(events.event(other, "https://live.example/2")).isIn(claim(one, 64));
  }

  @Test
  void firstAttemptsGoBeforeOthers() throws Exception {
    UUID old = event("https://a.example/");
    one.recordAttempt(attempt(take(one), "timed_out", again(5)));
    pass(6);
    UUID fresh = event("https://b.example/");
    assertThat(claim(one, 1)).containsExactly(fresh);
    assertThat(claim(one, 1)).containsExactly(old);
  }

  @Test
  void aFirstAttemptMayHaveToWait() throws Exception {
    event("https://a.example/");
    var wish = new ClaimOptions(9, 9, PLACES, LEASE, Duration.ofSeconds(10));
    pass(9.9);
    assertThat(one.claim(wish)).isEmpty();
    pass(10);
    assertThat(one.claim(wish)).hasSize(1);
  }

  // Results

  @Test
  void theWholeScheduleIsKeptAndWrittenDown() throws Exception {
    UUID id = event("https://a.example/");
    int[] waits = {5, 30, 120, 600, 1_800, 7_200, 18_000};
    double at = 0;
    for (int number = 1; number <= 8; number++) {
      ClaimedEvent due = take(one);
      assertThat(due.attempt()).isEqualTo(number);
      boolean isLast = number == 8;
      one.recordAttempt(
          attempt(due, "bad_status", isLast ? new NextStep.Failed() : again(waits[number - 1])));
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
    var attempts = testStore.store().webhookEvents().attempts(id);
    assertThat(attempts)
        .extracting(WebhookEvents.DeliveryAttempt::number)
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(attempts.getLast().at()).isEqualTo(Instant.ofEpochMilli(NOON).plusSeconds(27_755));
    assertThat(attempts.getFirst().took()).isEqualTo(Duration.ofMillis(7));
  }

  @Test
  void whatIsDeliveredOrUnwantedEnds() throws Exception {
    UUID delivered = event("https://a.example/");
    Attempt booked = attempt(take(one), "ok", new NextStep.Delivered());
    assertThat(one.recordAttempt(booked)).isEqualTo(RecordResult.APPLIED);
    assertThat(one.recordAttempt(booked))
        .as("the first result was lost")
        .isEqualTo(RecordResult.APPLIED);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(only().lastError()).isNull();
    assertThat(testStore.store().webhookEvents().attempts(delivered)).hasSize(1);
    UUID gone = event("https://b.example/");
    one.recordAttempt(attempt(take(one), "gone", new NextStep.Gone()));
    assertThat(testStore.store().webhookEvents().latest(org, "gone", 9))
        .extracting(WebhookEvent::id)
        .containsExactly(gone);
    pass(100_000);
    assertThat(claim(one, 9)).isEmpty();
  }

  @Test
  void whatANodeTookToItsGraveComesAgainUnderTheSameNumber() throws Exception {
    UUID id = event("https://a.example/");
    ClaimedEvent first = take(one);
    pass(29.9);
    assertThat(claim(two, 1)).isEmpty();
    pass(30);
    ClaimedEvent second = take(two);
    assertThat(second.id()).isEqualTo(id);
    assertThat(second.attempt()).isEqualTo(1);
    pass(60);
    ClaimedEvent third = take(one);
    // The first two were only slow: their failures do not count against the third, and a delivery
    // does.
    assertThat(one.recordAttempt(attempt(first, "timed_out", again(5))))
        .isEqualTo(RecordResult.SUPERSEDED);
    assertThat(only().attempts()).isZero();
    assertThat(claim(two, 1)).as("the lease is the third's").isEmpty();
    assertThat(two.recordAttempt(attempt(second, "ok", new NextStep.Delivered())))
        .isEqualTo(RecordResult.APPLIED);
    assertThat(one.recordAttempt(attempt(third, "timed_out", again(5))))
        .isEqualTo(RecordResult.SUPERSEDED);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(testStore.store().webhookEvents().attempts(id))
        .as("all that were made are told")
        .extracting(WebhookEvents.DeliveryAttempt::outcome)
        .containsExactly("timed_out", "ok", "timed_out");
  }

  @Test
  void whatIsDeliveredLateIsDeliveredAlsoWhereItWasGivenUp() throws Exception {
    event("https://a.example/");
    ClaimedEvent slow = take(one);
    pass(30);
    two.recordAttempt(attempt(take(two), "timed_out", new NextStep.Failed()));
    assertThat(only().state()).isEqualTo("failed");
    assertThat(one.recordAttempt(attempt(slow, "ok", new NextStep.Delivered())))
        .isEqualTo(RecordResult.APPLIED);
    assertThat(only().state()).isEqualTo("delivered");
  }

  @Test
  void whatIsGivenBackIsDueAtOnce() throws Exception {
    UUID id = event("https://a.example/");
    ClaimedEvent due = take(one);
    two.release(due, Duration.ZERO);
    assertThat(claim(two, 1)).isEmpty();
    one.release(due, Duration.ZERO);
    ClaimedEvent next = take(two);
    assertThat(next.id()).isEqualTo(id);
    one.release(due, Duration.ZERO);
    assertThat(claim(one, 1)).as("an expired lease releases nothing").isEmpty();
    two.release(next, Duration.ofSeconds(2));
    pass(1.9);
    assertThat(claim(one, 1)).isEmpty();
    pass(2);
    assertThat(take(one).attempt()).isEqualTo(1);
  }

  @Test
  void theDepthCountsWhatWaitsAndForHowLong() throws Exception {
    assertThat(one.depth()).isEqualTo(new Outbox.Depth(0, Duration.ZERO));
    event("https://a.example/");
    event("https://b.example/");
    pass(2.5);
    assertThat(one.depth()).isEqualTo(new Outbox.Depth(2, Duration.ofMillis(2_500)));
    one.recordAttempt(attempt(take(one), "ok", new NextStep.Delivered()));
    assertThat(one.depth().pending()).isOne();
  }

  @Test
  void anOutboxWithoutAStoreReportsIt() throws Exception {
    Outbox away;
    try (TestLedgerStore gone = TestLedgerStore.open()) {
      away = gone.store().outbox("away");
    }
    assertThatThrownBy(() -> away.claim(claimOptions(1)))
        .isInstanceOf(Outbox.OutboxException.class);
  }

  // Operators

  @Test
  void whatIsSentAgainHasItsScheduleAgain() throws Exception {
    UUID id = event("https://a.example/");
    one.recordAttempt(attempt(take(one), "gone", new NextStep.Gone()));
    var people = testStore.store().webhookEvents();
    pass(3_600);
    assertThat(people.resend(id)).isEqualTo(WebhookEvents.ResendResult.RESCHEDULED);
    pass(3_600.25);
    ClaimedEvent due = take(one);
    assertThat(due.id()).isEqualTo(id);
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(due.age()).as("since it was sent again").isEqualTo(Duration.ofMillis(250));
    assertThat(people.resend(UUID.randomUUID())).isEqualTo(WebhookEvents.ResendResult.UNKNOWN);
    testStore.execute("UPDATE media_job SET removed_at = ledger_now()");
    assertThat(people.resend(id)).isEqualTo(WebhookEvents.ResendResult.JOB_REMOVED);
  }

  @Test
  void whatIsSentAgainDuringAnAttemptBeginsAnewBehindIt() throws Exception {
    UUID id = event("https://a.example/");
    var people = testStore.store().webhookEvents();
    for (NextStep next :
        List.of(again(5), new NextStep.Failed(), new NextStep.Gone(), new NextStep.Delivered())) {
      ClaimedEvent due = take(one);
      assertThat(people.resend(id)).isEqualTo(WebhookEvents.ResendResult.RESCHEDULED);
      assertThat(claim(two, 1)).as("not both at once").isEmpty();
      assertThat(one.recordAttempt(attempt(due, "any", next)))
          .as("%s", next)
          .isEqualTo(RecordResult.SUPERSEDED);
      assertThat(only().state()).as("%s", next).isEqualTo("pending");
      assertThat(only().attempts()).as("%s", next).isZero();
    }
    ClaimedEvent last = take(two);
    assertThat(last.attempt()).isEqualTo(1);
    assertThat(two.recordAttempt(attempt(last, "ok", new NextStep.Delivered())))
        .isEqualTo(RecordResult.APPLIED);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(people.attempts(id)).hasSize(5);
  }

  @Test
  void attemptsAreRememberedForThirtyDays() throws Exception {
    UUID id = event("https://a.example/");
    one.recordAttempt(attempt(take(one), "timed_out", again(5)));
    var people = testStore.store().webhookEvents();
    pass(30 * 86_400);
    people.tidy();
    assertThat(people.attempts(id)).hasSize(1);
    assertThat(people.attempts(id).getFirst().status()).isNull();
    pass(30 * 86_400 + 1);
    people.tidy();
    assertThat(people.attempts(id)).isEmpty();
  }

  @Test
  void anOldSecretSignsBesideTheNewOneForAWhile() throws Exception {
    event("https://a.example/");
    var secrets = testStore.store().webhookSecrets();
    byte[] old = opened(secrets.of(org.toString()));
    byte[] fresh = opened(secrets.rotate(org.toString(), Duration.ofHours(1)));
    List<String> both = List.of(shown(fresh), shown(old));
    assertThat(secrets()).isEqualTo(both);
    pass(3_599);
    assertThat(secrets()).isEqualTo(both);
    pass(3_600);
    assertThat(secrets()).containsExactly(shown(fresh));
    byte[] last = opened(secrets.rotate(org.toString(), Duration.ZERO));
    assertThat(secrets()).containsExactly(shown(last));
    assertThat(new HashSet<>(Set.of(shown(old), shown(fresh), shown(last)))).hasSize(3);
  }

  @Test
  void aSecretThatSignsNothingAnyMoreIsForgotten() throws Exception {
    var secrets = testStore.store().webhookSecrets();
    assertThat(secrets.rotate(org.toString(), Duration.ofHours(1))).isPresent();
    String kept =
        "SELECT count(*) FROM organization WHERE webhook_secret_before IS NOT NULL AND id = ?";
    pass(3_599);
    testStore.store().webhookEvents().tidy();
    assertThat(testStore.execute(kept, org.value())).containsExactly("1");
    pass(3_600);
    testStore.store().webhookEvents().tidy();
    assertThat(testStore.execute(kept, org.value())).containsExactly("0");
  }

  private static String shown(byte[] secret) {
    return new WebhookSecret(secret).reveal();
  }

  private List<String> secrets() throws Exception {
    ClaimedEvent due = take(one);
    one.release(due, Duration.ZERO);
    return due.secrets().stream().map(WebhookSecret::reveal).toList();
  }
}
