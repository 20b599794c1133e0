package dev.tollgate.server.postgres;

import static dev.tollgate.server.postgres.TestBooks.opened;
import static dev.tollgate.server.postgres.TestEvents.LEASE;
import static dev.tollgate.server.postgres.TestEvents.NOON;
import static dev.tollgate.server.postgres.TestEvents.PLACES;
import static dev.tollgate.server.postgres.TestEvents.again;
import static dev.tollgate.server.postgres.TestEvents.attempt;
import static dev.tollgate.server.postgres.TestEvents.claim;
import static dev.tollgate.server.postgres.TestEvents.take;
import static dev.tollgate.server.postgres.TestEvents.wish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.Booked;
import dev.tollgate.core.webhook.Outbox.Next;
import dev.tollgate.core.webhook.Outbox.Places;
import dev.tollgate.core.webhook.Outbox.Wish;
import dev.tollgate.core.webhook.WebhookSecret;
import dev.tollgate.server.postgres.WebhookEvents.Event;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The outbox in a real database, by a clock that stands still until it is set. */
class WebhookRowsIT {
  private static TestBooks books;
  private static TestEvents events;
  private static Outbox one;
  private static Outbox two;
  private OrgId org;

  @BeforeAll
  static void open() throws Exception {
    books = TestBooks.open();
    events = new TestEvents(books);
    one = books.store().outbox("one");
    two = books.store().outbox("two");
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @BeforeEach
  void clear() throws Exception {
    events.clear();
    org = books.newOrg();
  }

  private static void pass(double seconds) throws Exception {
    events.pass(seconds);
  }

  private UUID event(String url) throws Exception {
    return events.event(org, url);
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
    byte[] secret = opened(books.store().webhookSecrets().of(org.toString()));
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
                node.claim(new Wish(7, 32, new Places(4, 16, 99), LEASE, Duration.ZERO)).stream()
                    .map(Due::id)
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
    UUID theirs = events.event(other, "https://live.example/");
    assertThat(claim(one, 4)).hasSize(4).contains(theirs);
    assertThat(claim(two, 64)).hasSize(13);
    assertThat(claim(one, 64)).isEmpty();
    assertThat(events.event(other, "https://live.example/2")).isIn(claim(one, 64));
  }

  @Test
  void firstAttemptsGoBeforeOthers() throws Exception {
    UUID old = event("https://a.example/");
    one.book(attempt(take(one), "timed_out", again(5)));
    pass(6);
    UUID fresh = event("https://b.example/");
    assertThat(claim(one, 1)).containsExactly(fresh);
    assertThat(claim(one, 1)).containsExactly(old);
  }

  @Test
  void aFirstAttemptMayHaveToWait() throws Exception {
    event("https://a.example/");
    var wish = new Wish(9, 9, PLACES, LEASE, Duration.ofSeconds(10));
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
      Due due = take(one);
      assertThat(due.attempt()).isEqualTo(number);
      boolean isLast = number == 8;
      one.book(attempt(due, "bad_status", isLast ? new Next.Failed() : again(waits[number - 1])));
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
    Attempt booked = attempt(take(one), "ok", new Next.Delivered());
    assertThat(one.book(booked)).isEqualTo(Booked.DECIDED);
    assertThat(one.book(booked)).as("nobody heard of the first").isEqualTo(Booked.DECIDED);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(only().lastError()).isNull();
    assertThat(books.store().webhookEvents().attempts(delivered)).hasSize(1);
    UUID gone = event("https://b.example/");
    one.book(attempt(take(one), "gone", new Next.Gone()));
    assertThat(books.store().webhookEvents().latest(org, "gone", 9))
        .extracting(Event::id)
        .containsExactly(gone);
    pass(100_000);
    assertThat(claim(one, 9)).isEmpty();
  }

  @Test
  void whatANodeTookToItsGraveComesAgainUnderTheSameNumber() throws Exception {
    UUID id = event("https://a.example/");
    Due first = take(one);
    pass(29.9);
    assertThat(claim(two, 1)).isEmpty();
    pass(30);
    Due second = take(two);
    assertThat(second.id()).isEqualTo(id);
    assertThat(second.attempt()).isEqualTo(1);
    pass(60);
    Due third = take(one);
    // The first two were only slow: their failures are not the third's, and what is delivered is.
    assertThat(one.book(attempt(first, "timed_out", again(5)))).isEqualTo(Booked.LATE);
    assertThat(only().attempts()).isZero();
    assertThat(claim(two, 1)).as("the lease is the third's").isEmpty();
    assertThat(two.book(attempt(second, "ok", new Next.Delivered()))).isEqualTo(Booked.DECIDED);
    assertThat(one.book(attempt(third, "timed_out", again(5)))).isEqualTo(Booked.LATE);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(books.store().webhookEvents().attempts(id))
        .as("all that were made are told")
        .extracting(WebhookEvents.Attempt::outcome)
        .containsExactly("timed_out", "ok", "timed_out");
  }

  @Test
  void whatIsDeliveredLateIsDeliveredAlsoWhereItWasGivenUp() throws Exception {
    event("https://a.example/");
    Due slow = take(one);
    pass(30);
    two.book(attempt(take(two), "timed_out", new Next.Failed()));
    assertThat(only().state()).isEqualTo("failed");
    assertThat(one.book(attempt(slow, "ok", new Next.Delivered()))).isEqualTo(Booked.DECIDED);
    assertThat(only().state()).isEqualTo("delivered");
  }

  @Test
  void whatIsGivenBackIsDueAtOnce() throws Exception {
    UUID id = event("https://a.example/");
    Due due = take(one);
    two.release(due, Duration.ZERO);
    assertThat(claim(two, 1)).isEmpty();
    one.release(due, Duration.ZERO);
    Due next = take(two);
    assertThat(next.id()).isEqualTo(id);
    one.release(due, Duration.ZERO);
    assertThat(claim(one, 1)).as("a lease that is over gives nothing back").isEmpty();
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
    one.book(attempt(take(one), "ok", new Next.Delivered()));
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
    one.book(attempt(take(one), "gone", new Next.Gone()));
    var people = books.store().webhookEvents();
    pass(3_600);
    assertThat(people.resend(id)).isEqualTo(WebhookEvents.Resend.AGAIN);
    pass(3_600.25);
    Due due = take(one);
    assertThat(due.id()).isEqualTo(id);
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(due.age()).as("since it was sent again").isEqualTo(Duration.ofMillis(250));
    assertThat(people.resend(UUID.randomUUID())).isEqualTo(WebhookEvents.Resend.UNKNOWN);
    books.execute("UPDATE media_job SET removed_at = ledger_now()");
    assertThat(people.resend(id)).isEqualTo(WebhookEvents.Resend.REMOVED);
  }

  @Test
  void whatIsSentAgainDuringAnAttemptBeginsAnewBehindIt() throws Exception {
    UUID id = event("https://a.example/");
    var people = books.store().webhookEvents();
    for (Next next : List.of(again(5), new Next.Failed(), new Next.Gone(), new Next.Delivered())) {
      Due due = take(one);
      assertThat(people.resend(id)).isEqualTo(WebhookEvents.Resend.AGAIN);
      assertThat(claim(two, 1)).as("not both at once").isEmpty();
      assertThat(one.book(attempt(due, "any", next))).as("%s", next).isEqualTo(Booked.LATE);
      assertThat(only().state()).as("%s", next).isEqualTo("pending");
      assertThat(only().attempts()).as("%s", next).isZero();
    }
    Due last = take(two);
    assertThat(last.attempt()).isEqualTo(1);
    assertThat(two.book(attempt(last, "ok", new Next.Delivered()))).isEqualTo(Booked.DECIDED);
    assertThat(only().state()).isEqualTo("delivered");
    assertThat(people.attempts(id)).hasSize(5);
  }

  @Test
  void attemptsAreRememberedForThirtyDays() throws Exception {
    UUID id = event("https://a.example/");
    one.book(attempt(take(one), "timed_out", again(5)));
    var people = books.store().webhookEvents();
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
    var secrets = books.store().webhookSecrets();
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
    var secrets = books.store().webhookSecrets();
    assertThat(secrets.rotate(org.toString(), Duration.ofHours(1))).isPresent();
    String kept =
        "SELECT count(*) FROM organization WHERE webhook_secret_before IS NOT NULL AND id = ?";
    pass(3_599);
    books.store().webhookEvents().tidy();
    assertThat(books.execute(kept, org.value())).containsExactly("1");
    pass(3_600);
    books.store().webhookEvents().tidy();
    assertThat(books.execute(kept, org.value())).containsExactly("0");
  }

  private static String shown(byte[] secret) {
    return new WebhookSecret(secret).reveal();
  }

  private List<String> secrets() throws Exception {
    Due due = take(one);
    one.release(due, Duration.ZERO);
    return due.secrets().stream().map(WebhookSecret::reveal).toList();
  }
}
