package dev.tollgate.core.exchange.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.exchange.ClientStream;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.routing.ExtraAttempt;
import dev.tollgate.core.testkit.InMemoryLedger.Charged;
import dev.tollgate.core.testkit.ManualPriorityLoop;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A second provider is tried beside one whose first token is late. */
class HedgeTest {
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final String REFUSED =
      OpenAiWire.error(400, "invalid_request_error", "not like this");

  @Test
  void theSecondServesAndTheFirstIsCancelledWithoutAVerdict() {
    try (var scenario =
        Scenario.of(TestCatalog.of(TestCatalog.withSensitiveBreaker("alpha"), plain("beta")))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
      scenario.passMillis(400);
      assertThat(scenario.links()).isOne();
      scenario.passMillis(100);
      assertThat(scenario.link(1).host()).isEqualTo("beta.example");
      assertThat(scenario.link(0).isOpen()).isTrue();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.run();
      assertThat(scenario.link(0).isOpen()).isFalse();
      scenario
          .link(1)
          .send(
              OpenAiWire.event(OpenAiWire.finish("stop"))
                  + OpenAiWire.event(OpenAiWire.usage(7, 1)));
      scenario.link(1).send(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);

      requireText(client, "one");
      assertThat(causes(scenario)).containsExactly("-", "alpha late");
      assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
      assertThat(attempts(scenario)).containsExactly("alpha cancelled", "beta ok");
      assertThat(scenario.served().hedged()).isEqualTo(HedgeOutcome.SECOND);
      assertThat(scenario.ledger().charged())
          .extracting(Charged::cost)
          .containsExactly(new MicroUsd(9));
      requireUntouchedCircuits(scenario);
    }
  }

  @Test
  void aFirstTokenThatCameWhileTheLoopStoodStillIsNotLate() {
    try (var priorityLoop = new ManualPriorityLoop();
        var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(hedged(""));
      ProviderLink first = scenario.link(0);
      ClientPriorityIoHandler.executeQueued(
          () -> first.send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one")));
      scenario.passMillis(500);
      priorityLoop.runAll();
      scenario.run();
      requireText(client, "one");
      assertThat(scenario.links()).isOne();
      assertThat(scenario.served().hedged()).isEqualTo(HedgeOutcome.NO);
    }
  }

  @Test
  void theFirstServesAllTheSameAndTheSecondIsCancelled() {
    try (var scenario =
        Scenario.of(TestCatalog.of(plain("alpha"), TestCatalog.withSensitiveBreaker("beta")))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.link(0);
      scenario
          .passMillis(500)
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      requireText(client, "one");
      assertThat(scenario.link(1).isOpen()).isFalse();
      assertThat(client.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(attempts(scenario)).containsExactly("beta cancelled", "alpha ok");
      assertThat(causes(scenario)).containsExactly("alpha late", "-");
      assertThat(scenario.served().hedged()).isEqualTo(HedgeOutcome.FIRST);
      assertThat(scenario.ledger().charged()).hasSize(1);
      requireUntouchedCircuits(scenario);
    }
  }

  @Test
  void theRemainingAttemptContinuesAlone() {
    for (int failing : List.of(0, 1)) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
        RecordedClient client = scenario.ask(hedged(""));
        scenario.passMillis(500).link(1);
        scenario.link(failing).send(OOPS);
        assertThat(scenario.links()).isEqualTo(2);
        scenario.link(1 - failing).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
        requireText(client, "one");
        assertThat(attempts(scenario).getFirst()).endsWith("server_error");
        assertThat(causes(scenario))
            .as("nobody was asked for the failure's sake")
            .containsExactlyInAnyOrder("-", "alpha late");
        assertThat(scenario.served().hedged())
            .isEqualTo(failing == 0 ? HedgeOutcome.SECOND : HedgeOutcome.FIRST);
      }
    }
  }

  @Test
  void bothCountAsAttempts() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma", "delta"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passMillis(500).link(1).send(OOPS);
      scenario.link(0).send(OOPS);
      scenario.link(2).send(OOPS);
      scenario.passSeconds(2);
      assertThat(client.fault().code().wire()).isEqualTo("provider_unavailable");
      assertThat(scenario.requests()).isEqualTo(3);
      assertThat(scenario.served().hedged()).isEqualTo(HedgeOutcome.NEITHER);
      assertThat(causes(scenario)).containsExactly("alpha late", "-", "alpha server_error");
      assertThat(scenario.ledger().released()).isOne();
    }
  }

  @Test
  void whoIsBeingAskedIsNoFallbackAnyMore() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passSeconds(16);
      assertThat(client.field("X-LLM-Routing-Reason"))
          .contains("selected=alpha ")
          .endsWith("fallbacks=gamma committed=early");
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void theOneThatServesMayBeContinuedOnceMoreButNotByTheOneThatWasOutrun() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma", "delta"))) {
      RecordedClient client = scenario.ask(hedged(",\"resume\":\"replay\""));
      scenario.link(0);
      scenario.passMillis(500).link(1);
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")))
          .reset();
      assertThat(scenario.link(2).host()).isEqualTo("gamma.example");
      scenario.passSeconds(1);
      scenario
          .link(2)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one two")))
          .reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(ClientStream.of(client).content).hasToString("one two");
      assertThat(scenario.requests()).isEqualTo(3);
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void aClientThatLeavesEndsBoth() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passMillis(500).link(1);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.link(0).isOpen()).isFalse();
      assertThat(scenario.link(1).isOpen()).isFalse();
      assertThat(attempts(scenario)).containsExactly("alpha cancelled", "beta cancelled");
      assertThat(scenario.ledger().released()).isOne();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        TestCatalog.STREAM_REQUEST,
        "{\"model\":\"acme/one\",\"routing\":{\"hedge_after_ms\":500},\"messages\":"
            + "[{\"role\":\"user\",\"content\":\"x\"}]}",
        "{\"model\":\"acme/one\",\"stream\":true,\"routing\":{\"hedge_after_ms\":500,"
            + "\"allow_fallbacks\":false},\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
      })
  void withoutTheOptionOrForAPlainReplyOrWithoutFallbacksThereIsNoSecondAttempt(String request) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(request);
      scenario.passSeconds(5);
      assertThat(scenario.links()).isOne();
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void theConfigurationMayHedgeAllRequestsAndARequestMaySetAnotherTime() {
    try (var scenario = Scenario.of(ruled(0.1, 3, Duration.ofSeconds(2)))) {
      RecordedClient one = scenario.askStream();
      scenario.passMillis(1_900);
      assertThat(scenario.links()).isOne();
      scenario.passMillis(100);
      assertThat(scenario.links()).isEqualTo(2);
      RecordedClient two = scenario.ask(hedged(""));
      scenario.passMillis(500);
      assertThat(scenario.links()).isEqualTo(4);
      one.disconnect(DisconnectReason.ABORTED);
      two.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void itTakesFromTheRetryBudget() {
    try (var scenario = Scenario.of(ruled(0, 1, Duration.ofMillis(500)))) {
      RecordedClient one = scenario.askStream();
      RecordedClient two = scenario.askStream();
      scenario.passMillis(500);
      assertThat(scenario.links()).isEqualTo(3);
      var beta = scenario.fleet().provider(plain("beta"));
      assertThat(beta.refused(ExtraAttempt.HEDGE)).isOne();
      assertThat(beta.refused(ExtraAttempt.RETRY)).isZero();
      one.disconnect(DisconnectReason.ABORTED);
      two.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aProviderInDoubtIsNotProbedByIt() {
    try (var scenario =
        Scenario.of(
            TestCatalog.of(
                plain("alpha"), TestCatalog.withSensitiveBreaker("beta"), plain("gamma")))) {
      scenario.ask(hedged(",\"only\":[\"beta\"],\"timeout_ms\":100"));
      scenario.link(0).send(OOPS);
      scenario.passSeconds(3);
      RecordedClient client = scenario.ask(hedged(""));
      scenario.link(1);
      scenario.passMillis(500);
      assertThat(scenario.link(2).host()).isEqualTo("gamma.example");
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aRefusalOfTheRequestByTheFirstEndsBoth() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passMillis(500).link(1);
      scenario.link(0).send(REFUSED);
      assertThat(client.fault().code().wire()).isEqualTo("validation_failed");
      scenario.run();
      assertThat(scenario.link(1).isOpen()).isFalse();
      assertThat(scenario.links()).isEqualTo(2);
      assertThat(attempts(scenario)).containsExactlyInAnyOrder("alpha rejected", "beta cancelled");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"invalid_request_error", "context_length_exceeded", "content_filter"})
  void aRefusalByTheSecondDoesNotKeepTheFirstFromServing(String code) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passMillis(500).link(1).send(OpenAiWire.error(400, code, "not like this"));
      assertThat(client.isAnswered()).isFalse();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      requireText(client, "one");
      assertThat(scenario.links()).isEqualTo(2);
      assertThat(attempts(scenario)).hasSize(2).last().isEqualTo("alpha ok");
      assertThat(scenario.served().hedged()).isEqualTo(HedgeOutcome.FIRST);
    }
  }

  @Test
  void ifTheSecondRefusesAndTheFirstFailsAnotherIsAskedAndTheLastFailureReported() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(hedged(""));
      scenario.passMillis(500).link(1).send(REFUSED);
      scenario.link(0).send(OOPS);
      assertThat(scenario.link(2).host()).isEqualTo("gamma.example");
      scenario.link(2).send(REFUSED);
      assertThat(client.fault().code().wire()).isEqualTo("validation_failed");
      assertThat(attempts(scenario))
          .containsExactly("beta rejected", "alpha server_error", "gamma rejected");
    }
  }

  @Test
  void aProbeOfACircuitHasItsTimeForItself() {
    try (var scenario =
        Scenario.of(TestCatalog.of(TestCatalog.withSensitiveBreaker("alpha"), plain("beta")))) {
      scenario.ask(hedged(",\"only\":[\"alpha\"],\"timeout_ms\":100"));
      scenario.link(0).send(OOPS);
      scenario.passSeconds(60);
      RecordedClient client = scenario.ask(hedged(""));
      assertThat(scenario.link(1).host()).isEqualTo("alpha.example");
      scenario.passSeconds(5);
      assertThat(scenario.links()).isEqualTo(2);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      requireText(client, "one");
      assertThat(scenario.circuits(plain("alpha")).state())
          .isInstanceOf(Breaker.State.Closed.class);
    }
  }

  @Test
  void theTimeOfTheOneThatWasOutrunCountsAsItsLatencyAtLeast() {
    Catalog catalog = TestCatalog.of("alpha", "beta");
    try (var scenario = Scenario.of(catalog)) {
      scenario.ask(hedged(""));
      scenario.passMillis(700).link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      var route = catalog.models().iterator().next().routes().getFirst();
      long now = scenario.nanos();
      assertThat(scenario.fleet().route(route).latencyMillis(true, 0.5, now).orElse(0))
          .isBetween(650.0, 750.0);
    }
  }

  @Test
  void whereTheBudgetOfOneIsSpentTheNextIsTried() {
    Catalog usual = TestCatalog.of("alpha", "beta", "gamma");
    var rules = new RoutingRules(Strategy.PRIORITY, 3, 0, 1, 1 << 20, Duration.ofMillis(500));
    var catalog = new Catalog(usual.providers(), List.copyOf(usual.models()), rules);
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient one = scenario.askStream();
      RecordedClient two = scenario.askStream();
      scenario.passMillis(500);
      assertThat(List.of(scenario.link(2).host(), scenario.link(3).host()))
          .containsExactly("beta.example", "gamma.example");
      one.disconnect(DisconnectReason.ABORTED);
      two.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aRequestMaySwitchItOff() {
    try (var scenario = Scenario.of(ruled(0.1, 3, Duration.ofMillis(500)))) {
      RecordedClient client = scenario.ask(hedged("").replace("500", "0"));
      scenario.passSeconds(5);
      assertThat(scenario.links()).isOne();
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  private static Catalog ruled(double share, int perSecond, Duration hedgeAfter) {
    Catalog usual = TestCatalog.of("alpha", "beta");
    var rules = new RoutingRules(Strategy.PRIORITY, 3, share, perSecond, 1 << 20, hedgeAfter);
    return new Catalog(usual.providers(), List.copyOf(usual.models()), rules);
  }

  private static Provider plain(String name) {
    return TestCatalog.provider(name);
  }

  private static void requireText(RecordedClient client, String text) {
    assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    ClientStream seen = ClientStream.of(client);
    assertThat(seen.content).hasToString(text);
    assertThat(seen.usages).hasSize(1);
    assertThat(seen.ids).hasSize(1);
  }

  private static void requireUntouchedCircuits(Scenario scenario) {
    for (var provider :
        TestCatalog.of(TestCatalog.withSensitiveBreaker("alpha"), plain("beta")).providers()) {
      assertThat(scenario.circuits(provider).isUntouched()).isTrue();
    }
  }

  private static List<String> causes(Scenario scenario) {
    return scenario.served().attempts().stream()
        .map(one -> one.cause())
        .map(cause -> cause == null ? "-" : cause.provider() + " " + cause.reason())
        .toList();
  }

  private static List<String> attempts(Scenario scenario) {
    return scenario.served().attempts().stream()
        .map(one -> one.provider() + " " + one.outcome())
        .toList();
  }

  private static String hedged(String more) {
    return "{\"model\":\"acme/one\",\"stream\":true,\"routing\":{\"hedge_after_ms\":500"
        + more
        + "},\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  }
}
