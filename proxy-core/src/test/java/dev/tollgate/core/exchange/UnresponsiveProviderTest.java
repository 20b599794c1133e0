package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A provider that responds to no request is given up before the clocks of its requests run out. */
class UnresponsiveProviderTest {
  private static final Provider ALPHA = TestCatalog.provider("alpha");
  private static final Catalog BOTH = TestCatalog.of(ALPHA, TestCatalog.provider("beta"));
  private static final String AT_ALPHA =
      TestCatalog.PLAIN_REQUEST.replace(
          "\"messages\"", "\"routing\":{\"order\":[\"alpha\"]},\"messages\"");
  private static final String ELSE_TWO =
      TestCatalog.PLAIN_REQUEST.replace(
          "\"messages\"", "\"routing\":{\"models\":[\"acme/two\"]},\"messages\"");
  private static final int FAILURES = CircuitOptions.DEFAULT.failures();

  @ParameterizedTest
  @ValueSource(strings = {TestCatalog.PLAIN_REQUEST, TestCatalog.STREAM_REQUEST})
  void itsCircuitOpensAndThoseWhoWaitGoElsewhere(String request) {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, request, 200);
      List<RecordedClient> waiting = asked(scenario, request, FAILURES);
      scenario.passMillis(3_900);
      requireState(scenario, Breaker.State.Closed.class);
      scenario.passMillis(900);
      requireState(scenario, Breaker.State.Open.class);
      assertThat(open(scenario, "alpha")).isEmpty();
      assertThat(open(scenario, "beta")).hasSize(FAILURES);
      serve(scenario, request);
      assertThat(waiting).allSatisfy(one -> assertThat(provider(one)).isEqualTo("beta"));
      assertThat(scenario.lastServed().attempts().getFirst().reason())
          .contains("does not respond to any request");
      RecordedClient next = scenario.ask(request);
      serve(scenario, request);
      assertThat(provider(next)).isEqualTo("beta");
    }
  }

  @Test
  void oneAnswerShowsThatItLives() {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES + 1);
      scenario.passSeconds(3);
      open(scenario, "alpha").getFirst().send(OpenAiWire.error(500, "server_error", "oops"));
      scenario.passSeconds(10);
      requireState(scenario, Breaker.State.Closed.class);
      assertThat(open(scenario, "alpha")).hasSizeGreaterThanOrEqualTo(FAILURES);
      waiting.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  @Test
  void whoIsUsuallySlowIsGivenMoreTime() {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 3_000);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      scenario.passMillis(8_500);
      requireState(scenario, Breaker.State.Closed.class);
      scenario.passSeconds(3);
      requireState(scenario, Breaker.State.Open.class);
      waiting.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  @Test
  void withoutStatisticsNoAttemptIsLate() {
    try (var scenario = Scenario.of(BOTH)) {
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, 2 * FAILURES);
      scenario.passSeconds(25);
      requireState(scenario, Breaker.State.Closed.class);
      assertThat(open(scenario, "alpha")).hasSize(2 * FAILURES);
      waiting.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  @Test
  void aFewAreNoProof() {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES - 1);
      scenario.passSeconds(25);
      requireState(scenario, Breaker.State.Closed.class);
      assertThat(open(scenario, "alpha")).hasSize(FAILURES - 1);
      waiting.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  @Test
  void withoutAnAlternativeTheyWaitAndAreServedWhenItRecovers() {
    try (var scenario = Scenario.of(TestCatalog.of(ALPHA))) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      scenario.passSeconds(20);
      assertThat(open(scenario, "alpha")).hasSize(FAILURES);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      assertThat(waiting).allSatisfy(one -> assertThat(provider(one)).isEqualTo("alpha"));
    }
  }

  /** The last provider gets no more than its own requests. */
  @Test
  void whereTheRetryBudgetOfTheOthersIsUsedUpTheyWaitOn() {
    Provider beta = TestCatalog.provider("beta");
    var frugal = new RoutingRules(Strategy.PRIORITY, 3, 0, 0, 0, null);
    Catalog all = TestCatalog.of(TestCatalog.provider("gamma"), ALPHA, beta);
    Catalog catalog = new Catalog(all.providers(), all.models(), frugal);
    try (var scenario = Scenario.of(catalog)) {
      answered(scenario, AT_ALPHA, 200);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      for (ProviderLink link : open(scenario, "gamma")) {
        link.send(OpenAiWire.error(500, "server_error", "oops"));
      }
      scenario.passSeconds(20);
      assertThat(open(scenario, "beta")).as("a third try is paid for").isEmpty();
      assertThat(waiting).noneMatch(RecordedClient::isAnswered);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      assertThat(waiting).allSatisfy(one -> assertThat(provider(one)).isEqualTo("alpha"));
    }
  }

  /** The limit of the model to fall back to has room for some of them: only those go there. */
  @Test
  void whereTheLimitOfTheOtherModelIsUsedUpTheyWaitOn() {
    LimitRules rules = FallbackModelsTest.limited("acme/two", new Rates(0, 2));
    try (var scenario = Scenario.of(FallbackModelsTest.catalog(1_000, ALPHA)).limits(rules)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      List<RecordedClient> waiting = asked(scenario, ELSE_TWO, FAILURES);
      scenario.passSeconds(5);
      requireState(scenario, Breaker.State.Open.class);
      assertThat(open(scenario, "beta")).hasSize(2);
      assertThat(open(scenario, "alpha")).hasSize(FAILURES - 2);
      scenario.passSeconds(15);
      assertThat(waiting).noneMatch(RecordedClient::isAnswered);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      assertThat(waiting)
          .extracting(UnresponsiveProviderTest::provider)
          .containsExactlyInAnyOrder("beta", "beta", "alpha", "alpha", "alpha");
    }
  }

  /** The other model's limit is unknown until its counters answer. */
  @Test
  void whileTheLimitOfTheOtherModelIsUnknownTheyWait() {
    LimitRules rules = FallbackModelsTest.limited("acme/two", new Rates(9, 0));
    try (var scenario = Scenario.of(FallbackModelsTest.catalog(1_000, ALPHA)).limits(rules)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      asked(scenario, ELSE_TWO, FAILURES);
      scenario.counters().holdAnswers();
      scenario.passSeconds(10);
      assertThat(open(scenario, "alpha")).hasSize(FAILURES);
      scenario.counters().answer();
      scenario.passSeconds(1);
      assertThat(open(scenario, "beta")).hasSize(FAILURES);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
    }
  }

  @Test
  void aProbeThatIsSilentFailsAndItsRequestGoesElsewhere() {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      scenario.passSeconds(5);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      scenario.passSeconds(2);
      RecordedClient probe = scenario.askPlain();
      requireState(scenario, Breaker.State.HalfOpen.class);
      scenario.passMillis(4_100);
      requireState(scenario, Breaker.State.Open.class);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      assertThat(provider(probe)).isEqualTo("beta");
    }
  }

  @Test
  void aProbeAfterALongSilenceIsJudgedByWhatWasUsualBefore() {
    try (var scenario = Scenario.of(BOTH)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      scenario.passSeconds(5);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      scenario.passSeconds(300);
      RecordedClient probe = scenario.askPlain();
      requireState(scenario, Breaker.State.HalfOpen.class);
      scenario.passMillis(4_100);
      requireState(scenario, Breaker.State.Open.class);
      serve(scenario, TestCatalog.PLAIN_REQUEST);
      assertThat(provider(probe)).isEqualTo("beta");
    }
  }

  @Test
  void anOperatorMaySwitchItOff() {
    var never =
        new CircuitOptions(
            1, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ZERO);
    var off = TestCatalog.of(TestCatalog.with(ALPHA, never), TestCatalog.provider("beta"));
    try (var scenario = Scenario.of(off)) {
      answered(scenario, TestCatalog.PLAIN_REQUEST, 200);
      List<RecordedClient> waiting = asked(scenario, TestCatalog.PLAIN_REQUEST, FAILURES);
      scenario.passSeconds(25);
      requireState(scenario, Breaker.State.Closed.class);
      waiting.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
    }
  }

  /** How long its answers take is known. */
  private static void answered(Scenario scenario, String request, long millis) {
    scenario.ask(request);
    scenario.passMillis(millis);
    serve(scenario, request);
  }

  private static List<RecordedClient> asked(Scenario scenario, String request, int times) {
    List<RecordedClient> clients = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      clients.add(scenario.ask(request));
    }
    return clients;
  }

  /** Every waiting client gets a reply. */
  private static void serve(Scenario scenario, String request) {
    boolean stream = request.equals(TestCatalog.STREAM_REQUEST);
    scenario.run();
    for (int i = 0; i < scenario.links(); i++) {
      ProviderLink link = scenario.link(i);
      if (link.isOpen() && link.isReadPending()) {
        link.send(
            stream
                ? OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine")
                : OpenAiWire.completion("fine"));
      }
    }
    scenario.run();
  }

  private static List<ProviderLink> open(Scenario scenario, String provider) {
    return IntStream.range(0, scenario.links())
        .mapToObj(scenario::link)
        .filter(link -> link.isOpen() && link.host().equals(provider + ".example"))
        .toList();
  }

  private static String provider(RecordedClient client) {
    return String.valueOf(client.field("X-LLM-Provider"));
  }

  private static void requireState(Scenario scenario, Class<? extends Breaker.State> state) {
    assertThat(scenario.circuits(ALPHA).state()).isInstanceOf(state);
  }
}
