package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is made of a provider that others are always faster than. */
class HedgeLoserTest {
  private static final String ONE = OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one");

  private final Map<ProviderLink, Integer> answered = new HashMap<>();

  @Test
  void itIsReadToItsEndByOneRequestWhileAllOthersAreHedged() {
    try (var scenario = Scenario.of(hedging())) {
      outrun(scenario, 10);
      RecordedClient received = scenario.askStream();
      RecordedClient hedged = scenario.askStream();
      scenario.passMillis(500);
      assertThat(open(scenario, "alpha")).hasSize(2);
      assertThat(open(scenario, "beta")).hasSize(1);
      answer(scenario, "beta", ONE);
      assertThat(hedged.isAnswered()).isTrue();
      scenario.passSeconds(5);
      assertThat(open(scenario, "alpha")).hasSize(1);
      answer(scenario, "alpha", ONE);
      assertThat(received.isAnswered()).isTrue();
      assertThat(scenario.lastServed().provider()).hasToString("alpha");
    }
  }

  @Test
  void withoutAVerdictTheNextProbeFollowsAfterAsManyRequests() {
    try (var scenario = Scenario.of(hedging())) {
      outrun(scenario, 10);
      for (int round = 0; round < 3; round++) {
        RecordedClient received = scenario.askStream();
        scenario.passSeconds(1);
        assertThat(open(scenario, "beta")).isEmpty();
        received.disconnect(DisconnectReason.ABORTED);
        scenario.run();
        outrun(scenario, 10);
      }
    }
  }

  @Test
  void aVerdictIsAnAnswer() {
    try (var scenario = Scenario.of(hedging())) {
      outrun(scenario, 9);
      RecordedClient failing = scenario.askStream();
      scenario.passMillis(500);
      answer(scenario, "alpha", OpenAiWire.error(500, "server_error", "oops"));
      answer(scenario, "beta", ONE);
      assertThat(failing.isAnswered()).isTrue();
      outrun(scenario, 10);
    }
  }

  @Test
  void aRequestThatEndsAheadOfTheProvidersClockHasNoTurn() {
    try (var scenario = Scenario.of(hedging())) {
      String hasty =
          TestCatalog.STREAM_REQUEST.replaceFirst("\\{", "{\"routing\":{\"timeout_ms\":5000},");
      for (int i = 0; i < 30; i++) {
        RecordedClient client = scenario.ask(hasty);
        scenario.passMillis(500);
        answer(scenario, "beta", ONE);
        assertThat(client.isAnswered()).isTrue();
      }
      RecordedClient received = scenario.askStream();
      scenario.passSeconds(5);
      assertThat(open(scenario, "beta")).as("who has time hears it").isEmpty();
      received.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void theLatencyOfTheSecondIsNotMeasuredByTheMomentThatItHad() {
    Catalog catalog = hedging();
    try (var scenario = Scenario.of(catalog)) {
      for (int i = 0; i < 11; i++) {
        RecordedClient client = scenario.askStream();
        scenario.passMillis(510);
        answer(scenario, "alpha", ONE);
        assertThat(client.isAnswered()).isTrue();
      }
      var beta = catalog.models().iterator().next().routes().getLast();
      long now = scenario.nanos();
      assertThat(scenario.fleet().route(beta).latencyMillis(true, 0.5, now)).isEmpty();
      RecordedClient client =
          scenario.ask(
              TestCatalog.STREAM_REQUEST.replaceFirst(
                  "\\{", "{\"routing\":{\"order\":[\"beta\"]},"));
      assertThat(open(scenario, "beta")).hasSize(1);
      scenario.passMillis(500);
      assertThat(open(scenario, "alpha")).as("and it has not lost its hedge").hasSize(1);
      client.disconnect(DisconnectReason.ABORTED);
    }
  }

  @Test
  void aRefusalOfTheRequestMeasuresNoProvider() {
    Catalog catalog = hedging();
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = scenario.askStream();
      scenario.passMillis(510);
      answer(scenario, "alpha", OpenAiWire.error(400, "invalid_request_error", "no"));
      assertThat(client.fault().code().wire()).isEqualTo("validation_failed");
      var beta = catalog.models().iterator().next().routes().getLast();
      assertThat(scenario.fleet().route(beta).latencyMillis(true, 0.5, scenario.nanos())).isEmpty();
    }
  }

  private void outrun(Scenario scenario, int times) {
    for (int i = 0; i < times; i++) {
      RecordedClient client = scenario.askStream();
      scenario.passMillis(500);
      answer(scenario, "beta", ONE);
      assertThat(client.isAnswered()).isTrue();
      assertThat(scenario.lastServed().provider()).hasToString("beta");
    }
  }

  private void answer(Scenario scenario, String provider, String reply) {
    ProviderLink link = open(scenario, provider).getFirst();
    answered.merge(link, 1, Integer::sum);
    link.send(reply);
    scenario.run();
  }

  /** Connections over which a provider is being asked. */
  private List<ProviderLink> open(Scenario scenario, String provider) {
    scenario.run();
    return Stream.iterate(0, n -> n < scenario.links(), n -> n + 1)
        .map(scenario::link)
        .filter(link -> link.isOpen() && link.host().equals(provider + ".example"))
        .filter(link -> link.requests() > answered.getOrDefault(link, 0))
        .toList();
  }

  private static Catalog hedging() {
    Catalog usual = TestCatalog.of("alpha", "beta");
    Duration after = Duration.ofMillis(500);
    var rules = new RoutingRules(Strategy.PRIORITY, 3, 1, 100, 1 << 20, after);
    return new Catalog(usual.providers(), List.copyOf(usual.models()), rules);
  }
}
