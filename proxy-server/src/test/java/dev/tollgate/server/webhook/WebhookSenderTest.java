package dev.tollgate.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.egress.FetchOutcome;
import dev.tollgate.core.egress.PostResult;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox.ClaimOptions;
import dev.tollgate.core.webhook.Outbox.NextStep;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.Unsignable;
import dev.tollgate.core.webhook.RetrySchedule;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.core.webhook.WebhookRequest;
import dev.tollgate.core.webhook.WebhookSecret;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests to receivers, their times and their results, with a clock that the test moves. */
class WebhookSenderTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final int SECONDS_MAX = 20;
  private static final List<Duration> WAITS =
      List.of(
          Duration.ZERO,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofHours(2),
          Duration.ofHours(5));

  private final MockTicker ticker = Ticker.newMockTicker();
  private final VirtualOutbox outbox = new VirtualOutbox(ticker);
  private final List<String> metrics = new ArrayList<>();
  private final List<Duration> pauses = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private JobPayloads jobs = due -> Optional.of(("{\"at\":" + seconds() + "}").getBytes(UTF_8));

  private final WebhookObserver observer =
      new WebhookObserver() {
        @Override
        public synchronized void began(Duration age) {
          metrics.add("began " + age.toMillis());
        }

        @Override
        public synchronized void attempted(String outcome, Duration took) {
          metrics.add("attempted " + outcome + " " + took.toMillis());
        }

        @Override
        public synchronized void ended(String how) {
          metrics.add("ended " + how);
        }
      };

  /** Request that a receiver got. */
  private record Sent(long second, String url, String body, List<Field> fields) {
    String field(String name) {
      return fields.stream().filter(f -> f.name().equals(name)).findAny().orElseThrow().value();
    }
  }

  /** Executor that runs its tasks at once. */
  private static class AtOnce extends AbstractExecutorService {
    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(ticker.nanoTime());
  }

  private WebhookSender sender(WebhookTransport wire, ExecutorService workers) {
    var means =
        new WebhookDelivery.Timing(
            () -> NOON.plusNanos(ticker.nanoTime()), ticker, new Random(7), pauses::add);
    var delivery = new WebhookDelivery(outbox, jobs, wire, observer, means);
    var rules = new SenderRules(new RetrySchedule(WAITS), Duration.ofSeconds(10));
    return new WebhookSender(outbox, delivery, () -> rules, workers, ticker);
  }

  /** Returns a sender whose attempts get these results in turn, the last one repeated. */
  private WebhookSender answering(PostResult... answers) {
    return sender(
        (url, announcement, within) -> {
          note(url, announcement);
          return answers[Math.min(sent.size(), answers.length) - 1];
        },
        new AtOnce());
  }

  private void note(String url, WebhookRequest announcement) {
    String body = new String(announcement.body(), UTF_8);
    sent.add(new Sent(seconds(), url, body, announcement.fields()));
  }

  private static PostResult answered(int status) {
    return new PostResult.Answered(status, Duration.ZERO);
  }

  private static ClaimedEvent due(String url) {
    return new ClaimedEvent(
        UUID.randomUUID(),
        new OrgId(new UUID(0, 1)),
        UUID.randomUUID(),
        "job.completed",
        url,
        new RequestId("req_01JADE"),
        0,
        1,
        Duration.ofMillis(250),
        List.of(new WebhookSecret(new byte[32])));
  }

  /** Polls whenever an event is due, until none waits. */
  private void toTheEnd(WebhookSender sender) throws OutboxException {
    while (outbox.passToNext()) {
      sender.poll();
    }
  }

  private NextStep last() {
    return outbox.booked.getLast().next();
  }

  // Retry schedule

  @Test
  void aFailingReceiverIsCalledByTheRetrySchedule() throws Exception {
    ClaimedEvent due = due("https://dead.example/in");
    outbox.add(due);
    toTheEnd(answering(answered(500)));
    assertThat(sent).hasSize(8);
    for (int i = 1; i < 8; i++) {
      long gap = sent.get(i).second() - sent.get(i - 1).second();
      long wanted = WAITS.get(i).toSeconds();
      assertThat(gap).isBetween(wanted * 8 / 10 - 1, wanted * 12 / 10 + 1);
    }
    assertThat(last()).isEqualTo(new NextStep.Failed());
    assertThat(outbox.booked)
        .extracting(attempt -> attempt.claimed().attempt())
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(metrics)
        .startsWith("began 250", "attempted bad_status 0")
        .endsWith("ended failed")
        .hasSize(10);
  }

  @Test
  void eachAttemptHasTheSameNameAndAFreshTextTimeAndSignature() throws Exception {
    ClaimedEvent due = due("https://slow.example/in");
    outbox.add(due);
    toTheEnd(answering(answered(500), answered(503), answered(200)));
    assertThat(sent).hasSize(3);
    assertThat(sent)
        .allSatisfy(one -> assertThat(one.field("webhook-id")).hasToString(due.id().toString()));
    assertThat(sent)
        .allSatisfy(
            one -> {
              assertThat(one.body())
                  .isEqualTo("{\"event\":\"job.completed\",\"job\":{\"at\":%d}}", one.second());
              assertThat(one.field("webhook-timestamp"))
                  .isEqualTo("" + (NOON.getEpochSecond() + one.second()));
            });
    assertThat(sent).extracting(one -> one.field("webhook-signature")).doesNotHaveDuplicates();
    assertThat(sent).extracting(one -> one.field("x-llm-signature")).doesNotHaveDuplicates();
    assertThat(last()).isEqualTo(new NextStep.Delivered());
    assertThat(metrics).endsWith("attempted ok 0", "ended delivered");
  }

  @Test
  void aReceiverThatIsGoneIsNotCalledAgain() throws Exception {
    outbox.add(due("https://gone.example/in"));
    toTheEnd(answering(answered(410)));
    assertThat(sent).hasSize(1);
    assertThat(last()).isEqualTo(new NextStep.Gone());
    assertThat(metrics).endsWith("attempted gone 0", "ended gone");
  }

  @Test
  void redirectsSilencePrivateAddressesAndBrokenOnesAreFailures() throws Exception {
    outbox.add(due("https://odd.example/in"));
    toTheEnd(
        answering(
            answered(301),
            answered(307),
            new PostResult.Failed(FetchOutcome.TIMED_OUT),
            new PostResult.Failed(FetchOutcome.BLOCKED),
            new PostResult.Failed(FetchOutcome.BROKEN),
            new PostResult.Failed(FetchOutcome.UNRESOLVED),
            new PostResult.Failed(FetchOutcome.UNREACHABLE),
            answered(204)));
    assertThat(outbox.booked)
        .extracting(attempt -> attempt.reply().outcome())
        .containsExactly(
            "bad_status",
            "bad_status",
            "timed_out",
            "blocked",
            "broken",
            "unresolved",
            "unreachable",
            "ok");
    assertThat(last()).isEqualTo(new NextStep.Delivered());
  }

  @Test
  void aReceiverMayAskForTime() throws Exception {
    outbox.add(due("https://busy.example/in"));
    toTheEnd(answering(new PostResult.Answered(429, Duration.ofSeconds(60)), answered(200)));
    assertThat(sent.get(1).second()).isEqualTo(60);
  }

  // Failures on the gateway's side

  @Test
  void noWebhookIsSentOfARemovedJob() throws Exception {
    jobs = _ -> Optional.empty();
    outbox.add(due("https://live.example/in"));
    toTheEnd(answering(answered(200)));
    assertThat(sent).isEmpty();
    assertThat(last()).isEqualTo(new NextStep.Failed());
    assertThat(metrics).contains("attempted removed 0", "ended failed");
  }

  @Test
  void anAttemptThatTheStoreOrTheNodeCouldNotMakeCostsNone() throws Exception {
    ClaimedEvent due = due("https://live.example/in");
    outbox.add(due);
    var texts = new AtomicInteger();
    jobs =
        _ -> {
          if (texts.getAndIncrement() == 0) {
            throw new OutboxException("away", new IllegalStateException());
          }
          return Optional.of("{}".getBytes(UTF_8));
        };
    toTheEnd(answering(new PostResult.Failed(FetchOutcome.NO_ROOM), answered(200)));
    assertThat(outbox.booked).hasSize(1);
    assertThat(outbox.booked.getFirst().claimed().attempt()).isOne();
    assertThat(sent).extracting(Sent::second).containsExactly(30L, 31L);
  }

  @Test
  void anAttemptThatBeginsTooLateIsReleased() throws Exception {
    outbox.add(due("https://live.example/in"));
    jobs =
        _ -> {
          ticker.advance(sent.isEmpty() && outbox.released.isEmpty() ? 11 : 2, TimeUnit.SECONDS);
          return Optional.of("{}".getBytes(UTF_8));
        };
    toTheEnd(answering(answered(200)));
    assertThat(sent).extracting(Sent::second).containsExactly(14L);
    assertThat(outbox.released).hasSize(1);
    assertThat(metrics).containsExactly("began 2250", "attempted ok 0", "ended delivered");
  }

  @Test
  void whatComesTooLateToDecideIsNoEnd() throws Exception {
    outbox.add(due("https://live.example/in"));
    outbox.overtake();
    toTheEnd(answering(answered(200)));
    assertThat(metrics).containsExactly("began 250", "attempted ok 0");
  }

  @Test
  void aResultIsRecordedWithRetries() throws Exception {
    outbox.add(due("https://live.example/in"));
    WebhookSender sender =
        sender(
            (url, announcement, within) -> {
              outbox.fail(4);
              return answered(200);
            },
            new AtOnce());
    sender.poll();
    assertThat(outbox.booked).hasSize(1);
    assertThat(pauses).extracting(Duration::toMillis).containsExactly(250L, 500L, 1_000L, 2_000L);
    assertThat(sender.inFlight()).isZero();
  }

  @Test
  void anUnexpectedFailureLeavesTheAttemptToItsLease() throws Exception {
    outbox.add(due("https://live.example/in"));
    WebhookSender sender =
        sender(
            (url, announcement, within) -> {
              note(url, announcement);
              if (sent.size() == 1) {
                throw new IllegalStateException("a surprise");
              }
              return answered(200);
            },
            new AtOnce());
    toTheEnd(sender);
    assertThat(sent).extracting(Sent::second).containsExactly(0L, 30L);
    assertThat(sender.inFlight()).isZero();
  }

  // Concurrency, on real threads

  @Test
  void aHangingReceiverDelaysNoOthers() throws Exception {
    for (int i = 0; i < 100; i++) {
      outbox.add(due("https://dead.example/in"));
    }
    var delivered = new CountDownLatch(200);
    for (int i = 0; i < 200; i++) {
      outbox.add(due("https://live" + i % 10 + ".example/in"));
    }
    var hanging = new CountDownLatch(1);
    var mostAtOnce = new AtomicInteger();
    var hangingNow = new AtomicInteger();
    try (WebhookSender sender =
        sender(
            (url, announcement, within) -> {
              if (url.contains("dead")) {
                mostAtOnce.accumulateAndGet(hangingNow.incrementAndGet(), Math::max);
                hanging.await();
              } else {
                delivered.countDown();
              }
              return answered(200);
            },
            Executors.newVirtualThreadPerTaskExecutor())) {
      sender.start();
      sender.wakeUp();
      assertThat(delivered.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      assertThat(mostAtOnce).hasValue(WebhookSender.SHARED_LIMITS.receiver());
    }
    assertThat(outbox.released)
        .as("what hung was given back")
        .hasSize(WebhookSender.SHARED_LIMITS.receiver());
  }

  @Test
  void aNodeHasSoManyPlaces() throws Exception {
    for (int i = 0; i < 300; i++) {
      outbox.add(due("https://dead" + i + ".example/in"));
    }
    var begun = new CountDownLatch(WebhookSender.IN_FLIGHT_MAX);
    try (WebhookSender sender =
        sender(
            (url, announcement, within) -> {
              begun.countDown();
              new CountDownLatch(1).await();
              return answered(200);
            },
            Executors.newVirtualThreadPerTaskExecutor())) {
      sender.start();
      assertThat(begun.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      assertThat(sender.inFlight()).isEqualTo(WebhookSender.IN_FLIGHT_MAX);
      assertThat(
              outbox.claim(
                  new ClaimOptions(
                      300, 300, WebhookSender.SHARED_LIMITS, Duration.ofSeconds(1), Duration.ZERO)))
          .hasSize(300 - WebhookSender.IN_FLIGHT_MAX);
    }
  }

  @Test
  void anErrorEndsARoundAndNotTheSender() throws Exception {
    outbox.add(due("https://live.example/in"));
    outbox.exhaust();
    var delivered = new CountDownLatch(1);
    try (WebhookSender sender =
        sender(
            (url, announcement, within) -> {
              delivered.countDown();
              return answered(200);
            },
            Executors.newVirtualThreadPerTaskExecutor())) {
      sender.start();
      assertThat(delivered.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aWorkerThatCannotBeginKeepsNoPlace() {
    outbox.add(due("https://live.example/in"));
    WebhookSender sender =
        sender(
            (url, announcement, within) -> answered(200),
            new AtOnce() {
              @Override
              public void execute(Runnable task) {
                throw new OutOfMemoryError("no thread");
              }
            });
    assertThatThrownBy(sender::poll).isInstanceOf(OutOfMemoryError.class);
    assertThat(sender.inFlight()).isZero();
  }

  @Test
  void aStaleCountAgesWithTime() throws Exception {
    WebhookSender sender = answering(answered(200));
    assertThat(sender.depth().oldest()).isZero();
    ticker.advance(1, TimeUnit.HOURS);
    assertThat(sender.depth().oldest()).isEqualTo(Duration.ofHours(1));
    sender.countBacklog();
    assertThat(sender.depth().oldest()).isZero();
  }

  @Test
  void whatCannotBeSignedIsCounted() throws Exception {
    WebhookSender sender = answering();
    assertThat(sender.unsignable()).isEqualTo(Unsignable.NONE);
    outbox.lock(new Unsignable(2, 3));
    sender.countBacklog();
    assertThat(sender.unsignable()).isEqualTo(new Unsignable(2, 3));
  }
}
