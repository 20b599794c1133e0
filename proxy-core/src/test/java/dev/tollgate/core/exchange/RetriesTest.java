package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextAttempt;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("corpus")
class RetriesTest {
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final String REASON = "X-LLM-Routing-Reason";

  @Test
  void threeProvidersAreTriedAtOnceInOrderOfPriority() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OOPS);
      scenario.link(2).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));

      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.field("X-LLM-Provider")).isEqualTo("gamma");
      assertThat(client.text()).contains("\"provider\":\"gamma\"").doesNotContain("alpha", "beta");
      assertThat(scenario.served().attempts())
          .extracting(a -> a.provider().value() + " " + a.outcome() + " " + a.status())
          .containsExactly("alpha server_error 500", "beta server_error 500", "gamma ok 200");
      assertThat(scenario.served().cost().value()).as("only the serving try costs").isEqualTo(9);
      assertThat(scenario.nanos()).as("without a pause").isZero();
    }
  }

  @Test
  void eachAttemptHasItsBeginSinceTheAdmission() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askStream();
      scenario.pass(Duration.ofMillis(30));
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::nanosSinceAdmission)
          .containsExactly(0L, 30_000_000L);
    }
  }

  @Test
  void noMoreThanThreeAttemptsAreMade() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma", "delta"))) {
      RecordedClient client = scenario.askStream();
      for (int n = 0; n < 3; n++) {
        scenario.link(n).send(OOPS);
      }
      assertThat(client.fault().code().status()).isEqualTo(503);
      assertThat(client.fault().provider()).hasToString("gamma");
      assertThat(client.fault().details()).containsKey("attempts");
      assertThat(client.fault().details().toString())
          .contains("provider=alpha", "provider=beta", "provider=gamma", "outcome=server_error");
      assertThat(scenario.links()).isEqualTo(3);
    }
  }

  @Test
  void withTwoProvidersTheFirstIsAskedOnceMoreAfterAPause() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OOPS);
      assertThat(scenario.requests()).isEqualTo(2);
      scenario.passMillis(290);
      assertThat(scenario.requests()).as("not before 0.3 s").isEqualTo(2);
      scenario.passMillis(320);
      assertThat(scenario.requests()).as("not after 0.6 s").isEqualTo(3);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(client.field("Server-Timing"))
          .as("the pause is the provider's")
          .startsWith("gw;dur=0.00,");
    }
  }

  @Test
  void theOnlyProviderIsAskedOnceMoreAndNotTwice() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OOPS);
      scenario.passMillis(600);
      scenario.link(0).send(OOPS);
      assertThat(client.fault().code().wire()).isEqualTo("provider_unavailable");
      assertThat(scenario.requests()).isEqualTo(2);
    }
  }

  @Test
  void aShortRetryAfterIsWaitedOut() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(429, "Retry-After: 2\r\n", "rate_limit", "slow"));
      scenario.passMillis(1_900);
      assertThat(scenario.requests()).isOne();
      scenario.passMillis(100);
      assertThat(scenario.requests()).isEqualTo(2);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void aRateLimitIsNotTriedAgainBeforeALongRetryAfter() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(429, "Retry-After: 3\r\n", "rate_limit", "slow"));
      assertThat(client.fault().code().wire()).isEqualTo("provider_rate_limited");
      assertThat(client.fault().retryAfterSeconds()).isEqualTo(3);
      assertThat(client.fault().shouldRetry()).isTrue();
    }
  }

  @Test
  void anOutageWithALongRetryAfterIsStillTriedOnceMoreAfterAPause() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      String busy = OpenAiWire.error(503, "Retry-After: 30\r\n", "overloaded", "busy");
      scenario.link(0).send(busy);
      scenario.passMillis(600);
      assertThat(scenario.requests()).isEqualTo(2);
      scenario.link(0).send(busy);
      assertThat(client.fault().code().wire()).isEqualTo("provider_unavailable");
      assertThat(client.fault().retryAfterSeconds()).isEqualTo(30);
      assertThat(client.fault().shouldRetry()).isTrue();
    }
  }

  @Test
  void aReusedConnectionThatWentStaleCostsNoTry() {
    for (boolean reset : List.of(true, false)) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        scenario.askPlain();
        ProviderLink stale = scenario.link(0).send(OpenAiWire.completion("first"));
        RecordedClient client = scenario.askPlain();
        assertThat(stale.requests()).isEqualTo(2);
        scenario.passMillis(199);
        if (reset) {
          stale.reset();
        } else {
          stale.fin();
        }
        ProviderLink fresh = scenario.link(1);
        assertThat(fresh.host()).as(FaultRow.of("U06").failover()).isEqualTo("alpha.example");
        fresh.send(OpenAiWire.completion("second"));

        assertThat(client.whole().body()).contains("second");
        assertThat(scenario.lastServed().attempts()).extracting("outcome").containsExactly("ok");
        assertThat(scenario.lastServed().attempts()).extracting("resent").containsExactly(1);
      }
    }
  }

  /** The provider had the request and worked on it: it may bill it. */
  @Test
  void aReusedConnectionThatEndsLaterIsAnAttempt() {
    for (boolean reset : List.of(true, false)) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        scenario.askPlain();
        ProviderLink used = scenario.link(0).send(OpenAiWire.completion("first"));
        RecordedClient client = scenario.askPlain();
        scenario.passMillis(201);
        if (reset) {
          used.reset();
        } else {
          used.fin();
        }
        ProviderLink next = scenario.link(1);
        assertThat(next.host()).isEqualTo("beta.example");
        next.send(OpenAiWire.completion("second"));

        assertThat(client.whole().body()).contains("second");
        assertThat(scenario.lastServed().attempts())
            .extracting("outcome")
            .containsExactly(reset ? "unreachable" : "disconnected", "ok");
        assertThat(scenario.lastServed().attempts()).extracting("resent").containsExactly(0, 0);
      }
    }
  }

  @Test
  void aFreshConnectionThatDiesIsATryOfItsOwn() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("first"));
      RecordedClient client = scenario.askPlain();
      scenario.link(0).reset();
      scenario.link(1).reset();
      assertThat(scenario.link(2).host()).isEqualTo("beta.example");
      scenario.link(2).send(OpenAiWire.completion("second"));
      assertThat(client.whole().body()).contains("second");
    }
  }

  @Test
  void aReusedConnectionThatBreaksInsideTheStatusLineIsNotStale() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("first"));
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send("HTTP/1.").fin();
      assertThat(scenario.link(1).host()).isEqualTo("beta.example");
      scenario.link(1).send(OpenAiWire.completion("second"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.lastServed().attempts())
          .extracting("outcome")
          .containsExactly("disconnected", "ok");
    }
  }

  @Test
  void anEarlyErrorWhileTheBodyIsStillBeingSentStopsTheSending() {
    String padding = "x".repeat(600_000);
    String body = TestCatalog.PLAIN_REQUEST.replace("something", padding);
    for (int status : List.of(401, 413)) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        scenario.connector().holdNewLinks(true);
        RecordedClient client = scenario.ask(body);
        ProviderLink slow = scenario.link(0);
        assertThat(slow.received()).isEmpty();
        scenario.connector().holdNewLinks(false);
        slow.send(OpenAiWire.error(status, "no", "early"));
        assertThat(slow.isOpen()).as("the rest of the body is not sent").isFalse();
        if (status == 413) {
          assertThat(client.fault().code().wire()).isEqualTo("request_too_large");
          assertThat(scenario.links()).isOne();
        } else {
          assertThat(scenario.link(1).received()).endsWith(padding + ".\"}]}");
          scenario.link(1).send(OpenAiWire.completion("fine"));
          assertThat(client.whole().status()).isEqualTo(200);
        }
      }
    }
  }

  @Test
  void aLargeBodyIsSentAsFastAsTheProviderTakesIt() {
    String body = TestCatalog.PLAIN_REQUEST.replace("something", "x".repeat(600_000));
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.connector().holdNewLinks(true);
      RecordedClient client = scenario.ask(body);
      scenario.passSeconds(10);
      assertThat(scenario.link(0).received()).isEmpty();
      scenario.link(0).reads(true);
      scenario.run();
      assertThat(scenario.link(0).received()).endsWith("x".repeat(600_000) + ".\"}]}");
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.link(0).isOpen()).isTrue();
    }
  }

  @Test
  void aConnectionWhoseReplyCameBeforeTheWholeRequestWasSentNeverServesAgain() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.connector().holdNewLinks(true);
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("too early"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.link(0).isOpen()).isFalse();
    }
  }

  /** The choice of the next attempt keeps the rules (docs/decisions/retries.md#attempts). */
  @Test
  void theNextTryKeepsTheRules() {
    Seeds.forEach(
        1_000,
        random -> {
          int providers = 1 + random.nextInt(4);
          String[] names = List.of("a", "b", "c", "d").subList(0, providers).toArray(String[]::new);
          RoutePlan plan = TestCatalog.plan(TestCatalog.of(names));
          List<NextAttempt.Failed> failed = new ArrayList<>();
          failed.add(new NextAttempt.Failed(plan.candidates().getFirst(), anyFailure(random)));
          while (NextAttempt.after(plan, failed, _ -> false, _ -> false, random)
              instanceof NextAttempt.Retry(Candidate next, Duration delay)) {
            require(failed, next, delay, plan);
            failed.add(new NextAttempt.Failed(next, anyFailure(random)));
          }
          assertThat(failed).hasSizeLessThanOrEqualTo(3);
        });
  }

  private static void require(
      List<NextAttempt.Failed> failed, Candidate next, Duration delay, RoutePlan plan) {
    assertThat(failed.getLast().failure().canFallBack()).isTrue();
    List<UpstreamFailure> own =
        failed.stream()
            .filter(f -> f.candidate().equals(next))
            .map(NextAttempt.Failed::failure)
            .toList();
    assertThat(own).as("never a third time").hasSizeLessThan(2);
    if (own.isEmpty()) {
      assertThat(delay).isZero();
      return;
    }
    assertThat(plan.candidates())
        .as("others first")
        .allMatch(c -> failed.stream().anyMatch(f -> f.candidate().equals(c)));
    UpstreamFailure before = own.getFirst();
    assertThat(before.kind()).as("a silent provider").isNotEqualTo(Kind.TIMED_OUT);
    if (before.kind() == Kind.RATE_LIMITED && before.retryAfterSeconds() > 0) {
      assertThat(delay).isEqualTo(Duration.ofSeconds(before.retryAfterSeconds()));
    }
    assertThat(delay).isBetween(Duration.ofMillis(300), Duration.ofSeconds(2));
  }

  private static UpstreamFailure anyFailure(RandomGenerator random) {
    Kind kind = List.of(Kind.values()).get(random.nextInt(Kind.values().length));
    return new UpstreamFailure(kind, 500, "", null, null, random.nextInt(5));
  }

  /** RFC 9110, 6.6.1: the time of receipt stands for a Date that is missing. */
  @Test
  void aDateToRetryAfterCountsFromTheReceiptOfAReplyWithoutDate() {
    String later = "Retry-After: Sun, 01 Mar 2026 12:00:07 GMT\r\n"; // Scenario.NOW and 7 s
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(429, later, "rate_limit", "slow"));
      assertThat(client.fault().retryAfterSeconds()).isEqualTo(7);
    }
  }

  @Test
  void aRateLimitIsNotTriedAgainBeforeADateThatIsFarOrUnreadable() {
    String now = "Date: Wed, 21 Oct 2026 07:28:00 GMT\r\n";
    String later = "Retry-After: Wed, 21 Oct 2026 07:28:30 GMT\r\n";
    for (String fields : List.of(now + later, later, now + "Retry-After: tomorrow\r\n")) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
        RecordedClient client = scenario.askPlain();
        scenario.link(0).send(OpenAiWire.error(429, fields, "rate_limit", "slow"));
        assertThat(client.fault().code().wire()).isEqualTo("provider_rate_limited");
        assertThat(client.fault().retryAfterSeconds()).isGreaterThanOrEqualTo(30);
      }
    }
  }

  @Test
  void theReasonNamesThoseWhoMayStillBeAskedAndWhetherTheSelectedOneServes() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma", "delta"))) {
      RecordedClient first = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(first.field(REASON)).endsWith("healthy=true fallbacks=beta,gamma,delta");
      RecordedClient second = scenario.askStream();
      scenario.lastRequestLink().send(OOPS);
      scenario.lastRequestLink().send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(second.field(REASON))
          .contains("selected=beta")
          .endsWith("healthy=true fallbacks=gamma,delta");
      RecordedClient third = scenario.askPlain();
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OOPS);
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(third.field(REASON)).endsWith("healthy=true fallbacks=none");
      RecordedClient fourth = scenario.askPlain();
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OOPS);
      scenario.link(2).send(OOPS);
      assertThat(fourth.field(REASON))
          .contains("selected=gamma")
          .endsWith("healthy=false fallbacks=none");
      RecordedClient fifth = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(400, "bad_value", "temperature too hot"));
      assertThat(fifth.field(REASON)).endsWith("healthy=true fallbacks=beta,gamma,delta");
    }
  }

  @Test
  void whoServesOnASecondAskingIsHealthy() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OOPS);
      scenario.passMillis(600).link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.field(REASON)).endsWith("healthy=true fallbacks=none");
    }
  }

  @Test
  void whyAProviderWasNotReachedIsForTheLogAndNotForTheClient() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.REFUSES);
      RecordedClient client = scenario.askPlain();
      scenario.passMillis(600);
      assertThat(scenario.served().attempts())
          .hasSize(2)
          .allMatch(attempt -> attempt.reason().contains("Connection refused"));
      assertThat(client.fault().toString()).doesNotContain("refused");
    }
  }

  @Test
  void whatAProviderSaidOfItsFailureIsNotLogged() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(401, "invalid_api_key", "Incorrect key sk-1"));
      assertThat(scenario.record().toString()).doesNotContain("sk-1");
    }
  }
}
