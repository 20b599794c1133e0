package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.testkit.TestFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A request takes its part of the limits before it is sent, and gives it back however it ends. */
class LimitsTest {
  private static final int PROMPT_TOKENS = 11;
  private static final Fault STOPPING = Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Stopping.");

  @Test
  void aRequestAboveTheLimitIsRefusedAndNothingIsHeldOrJournaled() {
    try (var scenario = limited(perSecond(1))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("one"));
      RecordedClient second = scenario.askPlain();

      assertThat(second.fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(second.fault().retryAfterSeconds()).isOne();
      assertThat(second.field("x-llm-routing-reason")).startsWith("strategy=priority selected=");
      assertThat(second.field("x-ratelimit-limit-requests")).isEqualTo("1");
      assertThat(second.field("x-ratelimit-remaining-requests")).isEqualTo("0");
      assertThat(second.field("x-ratelimit-reset-requests")).isEqualTo("1s");
      assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(scenario.limited()).containsExactly(second.fault());
      assertThat(scenario.ledger().begun()).as("only of the first").isOne();
      assertThat(scenario.ledger().released()).isOne();
      assertThat(scenario.requests()).isOne();

      scenario.passSeconds(1);
      RecordedClient third = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("three"));
      assertThat(third.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void anEmptyBucketOfTheKeyIsKnownByTheHeadOfTheNextRequest() {
    try (var scenario = limited(perSecond(2))) {
      for (int n = 0; n < 2; n++) {
        scenario.askPlain();
        scenario.link(0).send(OpenAiWire.completion("let in"));
      }
      assertThat(scenario.knownRefusal()).as("nobody was refused yet").isNull();
      RecordedClient refused = scenario.askPlain();

      RefusalCache.CachedRefusal reported = scenario.knownRefusal();
      assertThat(reported).isNotNull();
      assertThat(reported.fault()).isEqualTo(refused.fault());
      assertThat(TestFields.of(reported.fields()))
          .contains(new Field("x-ratelimit-remaining-requests", "0"));
      assertThat(scenario.limited()).as("both are counted").hasSize(2);
      scenario.passCoarse(499);
      assertThat(scenario.knownRefusal()).isNotNull();
      scenario.passCoarse(1);
      assertThat(scenario.knownRefusal()).as("there is one request again").isNull();
    }
  }

  @Test
  void whatHangsOnTheRequestOrMayEndAtAnyMomentIsNotKnownByItsHead() {
    var model = new LimitRules(Rates.OFF, Rates.OFF, off(), new Rates(1, 0), Map.of());
    for (LimitRules rules : List.of(concurrent(1), model, rules(new PerKey(Rates.OFF, 5_000, 0)))) {
      try (var scenario = limited(rules)) {
        scenario.askPlain();
        assertThat(scenario.askPlain().fault().retryAfterSeconds()).isPositive();
        assertThat(scenario.knownRefusal()).isNull();
        scenario.link(0).send(OpenAiWire.completion("one"));
      }
    }
  }

  @Test
  void aReplySaysHowTheKeyStands() {
    var rules = rules(new PerKey(new Rates(0, 60), 60_000, 0));
    try (var scenario = limited(rules)) {
      RecordedClient plain = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(plain.field("x-ratelimit-limit-requests")).isEqualTo("60");
      assertThat(plain.field("x-ratelimit-remaining-requests")).isEqualTo("59");
      assertThat(plain.field("x-ratelimit-reset-requests")).isEqualTo("1s");
      assertThat(plain.field("x-ratelimit-limit-tokens")).isEqualTo("60000");
      RecordedClient stream = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      assertThat(stream.field("x-ratelimit-remaining-requests")).isEqualTo("58");
      assertThat(stream.field("X-LLM-Provider")).isEqualTo("alpha");
    }
  }

  @Test
  void withoutLimitsNothingIsSaidOfThem() {
    try (var scenario = limited(LimitRules.OFF)) {
      RecordedClient plain = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(plain.whole().fields()).noneMatch(field -> field.name().startsWith("x-ratelimit"));
    }
  }

  @Test
  void tokensAreReservedAsEstimatedAndCorrectedAtTheEnd() {
    try (var scenario = limited(LimitRules.OFF)) {
      scenario.keyLimits(new KeyLimits(null, null, 10_000L, null, null, null));
      List<RecordedClient> clients = new ArrayList<>();
      for (int n = 0; n < 50; n++) {
        clients.add(scenario.ask(request(1_000)));
      }
      assertThat(scenario.requests()).isEqualTo(10);
      assertThat(clients.subList(10, 50))
          .allMatch(client -> client.fault().code() == ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
      for (int n = 0; n < 10; n++) {
        scenario.link(n).send(OpenAiWire.completion("done", 11, 389));
      }
      for (int n = 0; n < 50; n++) {
        clients.add(scenario.ask(request(1_000)));
      }
      assertThat(scenario.requests()).as("6,000 tokens are free again").isEqualTo(16);
      clients.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  @Test
  void thoughtsThatAreBilledBesideTheCompletionCount() {
    try (var scenario = limited(LimitRules.OFF)) {
      scenario.keyLimits(new KeyLimits(null, null, 10_000L, null, null, null));
      RecordedClient thoughtful = scenario.ask(request(100));
      scenario.link(0).send(OpenAiWire.completionWithSeparateReasoning("done", 100, 50, 5_000));
      assertThat(thoughtful.whole().status()).isEqualTo(200);

      RecordedClient next = scenario.ask(request(100));
      scenario.link(0).send(OpenAiWire.completion("done"));
      assertThat(next.field("x-ratelimit-remaining-tokens")).isEqualTo("4750");
    }
  }

  @Test
  void aRequestThatNeverFitsGetsTheLimitFieldsAsAnyOther() {
    var rules = rules(new PerKey(new Rates(0, 60), 1_000, 0));
    try (var scenario = limited(rules)) {
      scenario.ask(request(400));
      RecordedClient client = scenario.ask(request(1_001));
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(client.field("x-ratelimit-limit-tokens")).isEqualTo("1000");
      assertThat(client.field("x-ratelimit-remaining-tokens")).isEqualTo("600");
      assertThat(client.field("x-ratelimit-reset-tokens")).isEqualTo("24s");
      assertThat(client.field("x-ratelimit-remaining-requests"))
          .as("none is taken")
          .isEqualTo("59");
      scenario.link(0).send(OpenAiWire.completion("one"));

      scenario.counters().setUnavailable();
      RecordedClient untold = scenario.ask(request(1_001));
      assertThat(untold.fault().code()).isEqualTo(ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
      assertThat(scenario.limited()).hasSize(2);
    }
  }

  @Test
  void whatNeverFitsIsOverOnceItsClientLeft() {
    try (var scenario = limited(rules(new PerKey(Rates.OFF, 1_000, 0)))) {
      scenario.counters().holdAnswers();
      RecordedClient client = scenario.ask(request(1_001));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.counters().answer();
      assertThat(scenario.records()).hasSize(1);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.ledger().begun()).isZero();
    }
  }

  @Test
  void whatNeverFitsIsRefusedForGood() {
    try (var scenario = limited(LimitRules.OFF)) {
      scenario.keyLimits(new KeyLimits(null, null, 1_000L, null, null, null));
      RecordedClient client = scenario.ask(request(1_001));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(client.fault().details()).containsEntry("limit", 1_000L);
      assertThat(scenario.ledger().begun()).isZero();
    }
  }

  @Test
  void aSlotIsFreeBeforeTheClientHearsOfTheEnd() {
    try (var scenario = limited(concurrent(1))) {
      scenario.ledger().holdDisk();
      scenario.askPlain();
      assertThat(scenario.slotsInUse()).isOne();
      assertThat(scenario.askPlain().fault().code()).isEqualTo(ErrorCode.CONCURRENCY_EXCEEDED);
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(scenario.slotsInUse()).as("its charge is still being written").isZero();
      scenario.ledger().sync();
    }
  }

  @Test
  void countersThatDoNotAnswerRefuseAllRequests() {
    try (var scenario = limited(concurrent(1))) {
      scenario.counters().setUnavailable();
      RecordedClient client = scenario.askPlain();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
      assertThat(scenario.ledger().released()).isOne();
      assertThat(scenario.limited()).as("metrics know of it").containsExactly(client.fault());
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void aDrawThatComesAfterItsClientLeftIsEnded() {
    for (boolean drains : new boolean[] {true, false}) {
      try (var scenario = limited(concurrent(1))) {
        scenario.counters().holdAnswers();
        RecordedClient client = scenario.askStream();
        if (drains) {
          client.cutShort(STOPPING);
        } else {
          client.disconnect(DisconnectReason.ABORTED);
        }
        assertThat(scenario.records()).hasSize(1);
        scenario.counters().answer();
        assertThat(scenario.slotsInUse()).isZero();
        assertThat(scenario.counters().open()).isZero();
        assertThat(scenario.links()).isZero();
        assertThat(scenario.ledger().begun()).isZero();
      }
    }
  }

  @Test
  void aThousandRequestsThatEndAtRandomLeaveTheOneSlotFree() {
    Seeds.forEach(1, random -> endings(random, 1_000));
  }

  private static void endings(Random random, int requests) {
    try (var scenario = limited(concurrent(1))) {
      for (int n = 0; n < requests; n++) {
        scenario.of(new OrgId(new UUID(3, n))); // none leaves streams habitually
        RecordedClient client = random.nextBoolean() ? scenario.askStream() : scenario.askPlain();
        assertThat(client.isAnswered()).as("request %d is let in", n).isFalse();
        assertThat(scenario.askPlain().fault().code()).isEqualTo(ErrorCode.CONCURRENCY_EXCEEDED);
        end(scenario, client, random);
        assertThat(scenario.slotsInUse()).as("after request %d", n).isZero();
      }
    }
  }

  private static void end(Scenario scenario, RecordedClient client, Random random) {
    switch (random.nextInt(6)) {
      case 0 -> client.disconnect(DisconnectReason.ABORTED);
      case 1 -> client.cutShort(STOPPING);
      case 2 ->
          scenario.lastRequestLink().send(OpenAiWire.error(400, "invalid_request_error", "no"));
      case 3 -> {
        scenario
            .lastRequestLink()
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
        client.disconnect(
            random.nextBoolean() ? DisconnectReason.ABORTED : DisconnectReason.STALLED);
      }
      case 4 -> scenario.passSeconds(200); // no provider answers
      default -> {
        scenario.lastRequestLink().send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
        client.disconnect(DisconnectReason.ABORTED); // unless it was answered
      }
    }
    scenario.run();
  }

  /** A request with this token estimate. */
  private static String request(int tokens) {
    int output = tokens - PROMPT_TOKENS;
    return TestCatalog.PLAIN_REQUEST.replace(
        "\"messages\"", "\"max_tokens\":" + output + ",\"messages\"");
  }

  private static Scenario limited(LimitRules rules) {
    return Scenario.of(TestCatalog.of(TestCatalog.withUnlimitedBreaker("alpha"))).limits(rules);
  }

  private static LimitRules perSecond(int requests) {
    return rules(new PerKey(new Rates(requests, 0), 0, 0));
  }

  private static LimitRules concurrent(int requests) {
    return rules(new PerKey(Rates.OFF, 0, requests));
  }

  private static PerKey off() {
    return new PerKey(Rates.OFF, 0, 0);
  }

  private static LimitRules rules(PerKey key) {
    return new LimitRules(Rates.OFF, Rates.OFF, key, Rates.OFF, Map.of());
  }
}
