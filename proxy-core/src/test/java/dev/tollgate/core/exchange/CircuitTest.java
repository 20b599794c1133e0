package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.testkit.ObservedCircuits;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A provider that fails is left alone, and comes back by itself. */
class CircuitTest {
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final String PLAIN_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
  private static final String REASON = "X-LLM-Routing-Reason";
  private static final Provider THREE_FAILURES =
      TestCatalog.with(
          TestCatalog.provider("alpha"),
          new CircuitOptions(
              3, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5)));

  @Test
  void afterTheConfiguredFailuresAnotherProviderServesAtOnce() {
    try (var scenario = Scenario.of(TestCatalog.of(THREE_FAILURES, TestCatalog.provider("beta")))) {
      for (int i = 0; i < 3; i++) {
        assertThat(circuits(scenario, THREE_FAILURES).state()).isInstanceOf(State.Closed.class);
        scenario.askPlain();
        reply(scenario, "alpha", OOPS);
        reply(scenario, "beta", OpenAiWire.completion("fine"));
      }
      assertThat(circuits(scenario, THREE_FAILURES).state()).isInstanceOf(State.Open.class);
      RecordedClient client = scenario.askPlain();
      reply(scenario, "beta", OpenAiWire.completion("fine"));
      assertThat(client.field(REASON))
          .isEqualTo(
              "strategy=priority selected=beta priority=2 cost_micro=9 healthy=true"
                  + " fallbacks=none");
      assertThat(outcomes(scenario)).containsExactly("beta ok");
    }
  }

  @Test
  void whatFailsForOneOrganizationIsOpenToAnother() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
      scenario.askPlain();
      reply(scenario, "alpha", OOPS);
      assertThat(scenario.askPlain().fault().code().wire()).isEqualTo("no_provider_available");

      scenario.of(new OrgId(new UUID(1, 3)));
      RecordedClient other = scenario.askPlain();
      reply(scenario, "alpha", OpenAiWire.completion("fine"));
      assertThat(other.whole().status()).isEqualTo(200);

      scenario.of(TestCatalog.ORG);
      assertThat(scenario.askPlain().fault().retryAfterSeconds()).isEqualTo(2);
    }
  }

  @Test
  void oneRequestProbesWhileTheOthersGoElsewhere() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(TestCatalog.of(alpha, TestCatalog.provider("beta")))) {
      scenario.askPlain();
      reply(scenario, "alpha", OOPS);
      reply(scenario, "beta", OpenAiWire.completion("fine"));
      scenario.passSeconds(2);

      RecordedClient probe = scenario.askPlain();
      RecordedClient other = scenario.askPlain();
      reply(scenario, "beta", OpenAiWire.completion("fine"));
      assertThat(other.field("X-LLM-Provider")).isEqualTo("beta");
      reply(scenario, "alpha", OpenAiWire.completion("fine"));
      assertThat(probe.field("X-LLM-Provider")).isEqualTo("alpha");

      assertThat(circuits(scenario, alpha).state()).isInstanceOf(State.Closed.class);
      RecordedClient next = scenario.askPlain();
      reply(scenario, "alpha", OpenAiWire.completion("fine"));
      assertThat(next.field("X-LLM-Provider")).isEqualTo("alpha");
    }
  }

  @Test
  void ifEveryCircuitIsOpenTheRefusalHasAReasonAndARetryAfter() {
    Catalog catalog =
        TestCatalog.of(
            TestCatalog.withSensitiveBreaker("alpha"), TestCatalog.withSensitiveBreaker("beta"));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient first = scenario.askPlain();
      reply(scenario, "alpha", OOPS);
      reply(scenario, "beta", OOPS);
      assertThat(first.fault().code().wire()).isEqualTo("provider_unavailable");
      assertThat(scenario.nanos()).as("nobody is waited for who cannot be asked").isZero();
      assertThat(scenario.requests()).isEqualTo(2);

      int begun = scenario.ledger().begun();
      RecordedClient client = scenario.askStream();
      assertThat(client.fault().code().wire()).isEqualTo("no_provider_available");
      assertThat(client.fault().code().status()).isEqualTo(503);
      assertThat(client.fault().details())
          .isEqualTo(
              Map.of(
                  "excluded",
                  List.of(
                      Map.of("provider", "alpha", "reason", "circuit_open"),
                      Map.of("provider", "beta", "reason", "circuit_open"))));
      assertThat(client.fault().retryAfterSeconds()).isEqualTo(2);
      assertThat(client.field(REASON))
          .isEqualTo(
              "strategy=priority selected=none priority=0 cost_micro=0 healthy=false"
                  + " fallbacks=none");
      assertThat(scenario.ledger().begun()).as("no money was set aside").isEqualTo(begun);
      assertThat(scenario.requests()).isEqualTo(2);
      assertThat(scenario.records().getLast().outcome())
          .isEqualTo(RequestOutcome.PROVIDER_UNAVAILABLE);
      assertThat(scenario.lastServed().provider()).isNull();

      scenario.passSeconds(client.fault().retryAfterSeconds());
      RecordedClient again = scenario.askPlain();
      reply(scenario, "alpha", OpenAiWire.completion("fine"));
      assertThat(again.whole().status()).as("who waits so long is served").isEqualTo(200);
    }
  }

  @Test
  void aProviderWithoutWordsOpensItsCircuit() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(60);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(client.field(REASON)).contains("healthy=false");
      assertThat(circuits(scenario, alpha).state()).isInstanceOf(State.Open.class);
    }
  }

  @Test
  void aDeadlineThatTheClientSetItselfSaysNothingOfTheProvider() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    for (String request : List.of(TestCatalog.PLAIN_REQUEST, TestCatalog.STREAM_REQUEST)) {
      try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
        RecordedClient client = scenario.ask(hasty(request));
        scenario.passMillis(900);
        assertThat(client.isAnswered()).isFalse();
        scenario.passMillis(100);
        assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
        assertThat(client.field(REASON)).contains("healthy=true");
        requireUntouched(scenario, alpha);
      }
    }
  }

  @Test
  void aDeadlineThatAnotherProviderUsedUpSaysNothingOfThisOne() {
    Provider alpha = within45Seconds(TestCatalog.withSensitiveBreaker("alpha"));
    Provider beta = within45Seconds(TestCatalog.withSensitiveBreaker("beta"));
    try (var scenario = Scenario.of(TestCatalog.of(alpha, beta))) {
      RecordedClient client = scenario.askPlain();
      scenario.passSeconds(30);
      assertThat(circuits(scenario, alpha).state()).isInstanceOf(State.Open.class);
      scenario.passSeconds(15);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(outcomes(scenario)).containsExactly("alpha timed_out", "beta timed_out");
      requireUntouched(scenario, beta);
    }
    try (var scenario = Scenario.of(TestCatalog.of(beta))) {
      scenario.askPlain();
      scenario.link(0).send(PLAIN_HEAD);
      scenario.passSeconds(20).link(0).send(" ");
      scenario.passSeconds(25);
      assertThat(circuits(scenario, beta).state())
          .as("it had all of the time")
          .isInstanceOf(State.Open.class);
    }
  }

  private static Provider within45Seconds(Provider provider) {
    Provider.ProviderTimeouts usual = provider.timeouts();
    return TestCatalog.with(
        provider,
        new Provider.ProviderTimeouts(
            usual.connect(),
            usual.responseHeader(),
            Duration.ofSeconds(30),
            usual.idle(),
            Duration.ofSeconds(45)));
  }

  @Test
  void norDoesOneThatRunsOutInTheMiddleOfAStream() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
      RecordedClient client = scenario.ask(hasty(TestCatalog.STREAM_REQUEST));
      reply(
          scenario, "alpha", OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.served().cost().value()).isPositive();
      requireUntouched(scenario, alpha);
    }
  }

  @Test
  void aStreamThatTheProviderBreaksOffOpensItsCircuit() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
      scenario.ask(hasty(TestCatalog.STREAM_REQUEST));
      reply(
          scenario, "alpha", OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.link(0).reset();
      scenario.run();
      assertThat(circuits(scenario, alpha).state()).isInstanceOf(State.Open.class);
    }
  }

  @Test
  void whatTheRequestIsToBlameForSaysNothingOfTheProvider() {
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    for (int status : new int[] {400, 413, 422, 404, 401, 429}) {
      try (var scenario = Scenario.of(TestCatalog.of(alpha))) {
        RecordedClient client = scenario.askPlain();
        reply(scenario, "alpha", OpenAiWire.error(status, "Retry-After: 9\r\n", "no", "no"));
        assertThat(client.isAnswered()).isTrue();
        requireUntouched(scenario, alpha);
      }
    }
  }

  private static String hasty(String request) {
    return request.replace("{\"model\"", "{\"routing\":{\"timeout_ms\":1000},\"model\"");
  }

  private static void requireUntouched(Scenario scenario, Provider provider) {
    assertThat(circuits(scenario, provider).isUntouched()).isTrue();
    assertThat(scenario.fleet().provider(provider).inFlight()).isZero();
  }

  private static ObservedCircuits circuits(Scenario scenario, Provider provider) {
    scenario.run();
    return scenario.circuits(provider);
  }

  /** The connection to a provider on which a request waits is answered. */
  private static void reply(Scenario scenario, String provider, String bytes) {
    scenario.run();
    scenario.connector().links().stream()
        .filter(link -> link.isOpen() && link.host().equals(provider + ".example"))
        .reduce((earlier, later) -> later)
        .orElseThrow(() -> new AssertionError(provider + " was not asked"))
        .send(bytes);
    scenario.run();
  }

  private static List<String> outcomes(Scenario scenario) {
    return scenario.lastServed().attempts().stream()
        .map(attempt -> attempt.provider() + " " + attempt.outcome())
        .toList();
  }
}
