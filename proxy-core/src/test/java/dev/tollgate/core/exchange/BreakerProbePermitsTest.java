package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Fleet.PlacementResult;
import dev.tollgate.core.routing.ProviderHealth;
import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request that probes a provider ends, at any point and in any way: the provider's permit for a
 * probe is free again, and nothing counts as under way.
 */
class BreakerProbePermitsTest {
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The service is shutting down.");

  /** Progress of the probe. */
  enum Moment {
    QUEUED,
    CONNECTING,
    WAITING_FOR_THE_HEAD,
    IN_BACKOFF,
    WAITING_FOR_CONTENT,
    OPENED_EARLY,
    RELAYING,
    FINISHED_BUT_FOR_THE_USAGE,
    COLLECTING_A_PLAIN_REPLY
  }

  /** What happens to it. */
  enum Event {
    ABORT,
    ABORT_AND_THEN_THE_PROVIDER_RESETS,
    STALL,
    NODE_STOPS,
    PROVIDER_RESETS,
    PROVIDER_FALLS_SILENT,
    FAULT_OF_OURS
  }

  static Stream<Arguments> momentsAndEvents() {
    return Stream.of(Moment.values())
        .flatMap(
            moment ->
                Stream.of(Event.values())
                    .flatMap(
                        event ->
                            Stream.of(true, false)
                                .map(drains -> Arguments.of(moment, event, drains))));
  }

  @ParameterizedTest
  @MethodSource("momentsAndEvents")
  void howeverAProbeEndsItsPlaceIsFree(Moment moment, Event event, boolean drains) {
    Provider alpha = provider(moment, drains);
    Catalog catalog = TestCatalog.of(alpha);
    try (var scenario = Scenario.of(catalog)) {
      ProviderHealth health = scenario.fleet().provider(alpha);
      if (moment == Moment.QUEUED) {
        scenario.askPlain(); // takes the only connection
      }
      openTheCircuit(scenario, catalog);
      RecordedClient client = bring(scenario, moment);
      switch (event) {
        case ABORT -> client.disconnect(DisconnectReason.ABORTED);
        case ABORT_AND_THEN_THE_PROVIDER_RESETS -> {
          client.disconnect(DisconnectReason.ABORTED);
          resetAll(scenario);
        }
        case STALL -> client.disconnect(DisconnectReason.STALLED);
        case NODE_STOPS -> client.cutShort(STOPPING);
        case PROVIDER_RESETS -> resetAll(scenario);
        case PROVIDER_FALLS_SILENT -> {}
        case FAULT_OF_OURS -> {
          client.failOn(Reply.class);
          resetAll(scenario);
        }
      }
      scenario.passSeconds(90);

      assertThat(scenario.records())
          .as("everybody has ended")
          .hasSize(moment == Moment.QUEUED ? 2 : 1);
      assertThat(health.inFlight()).isZero();
      assertThat(scenario.circuits(alpha).waitNanos(scenario.nanos())).isZero();
      scenario.connector().behavior("alpha.example", ConnectBehavior.ACCEPTS);
      RecordedClient next = scenario.askPlain();
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(next.whole().status()).isEqualTo(200);
      assertThat(scenario.circuits(alpha).state()).isInstanceOf(State.Closed.class);
      assertThat(health.inFlight()).isZero();
    }
  }

  /** What says nothing of the provider frees the place at once, and not only with its lease. */
  @ParameterizedTest
  @MethodSource("moments")
  void whoLeavesFreesThePlaceAtOnce(Moment moment) {
    Provider alpha = provider(moment, false);
    Catalog catalog = TestCatalog.of(alpha);
    try (var scenario = Scenario.of(catalog)) {
      ProviderHealth health = scenario.fleet().provider(alpha);
      if (moment == Moment.QUEUED) {
        scenario.askPlain(); // takes the only connection
      }
      openTheCircuit(scenario, catalog);
      RecordedClient client = bring(scenario, moment);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.circuits(alpha).waitNanos(scenario.nanos())).isZero();
      if (moment != Moment.FINISHED_BUT_FOR_THE_USAGE) { // drained for five seconds
        assertThat(health.inFlight()).isEqualTo(moment == Moment.QUEUED ? 1 : 0);
      }
      scenario.connector().acceptPending();
      scenario.passSeconds(90);
    }
  }

  static Stream<Moment> moments() {
    return Stream.of(Moment.values());
  }

  private static Provider provider(Moment moment, boolean drains) {
    Provider provider = TestCatalog.withSensitiveBreaker("alpha");
    if (moment == Moment.QUEUED) {
      provider = TestCatalog.with(provider, new PoolLimits(1, 10, Duration.ofSeconds(30)));
    }
    return drains
        ? TestCatalog.with(provider, new OnDisconnect.Drain(Duration.ofSeconds(10), 1))
        : provider;
  }

  /** The provider fails elsewhere, and may be probed. */
  private static void openTheCircuit(Scenario scenario, Catalog catalog) {
    Candidate candidate = TestCatalog.plan(catalog).candidates().getFirst();
    long now = scenario.nanos();
    PlacementResult placing =
        scenario
            .fleet()
            .place(TestCatalog.ORG, candidate, CredentialPolicy.HEALTHY_ONLY, now, new Random(1));
    if (placing instanceof PlacementResult.Placed placed) {
      placed.placement().failed(UpstreamFailure.of(Kind.SERVER_ERROR, "test"), now);
    }
    State state = scenario.circuits(candidate.provider()).state();
    assertThat(state).isInstanceOf(State.Open.class);
    scenario.passSeconds(2);
  }

  /** A request probes the provider, and gets this far. */
  private static RecordedClient bring(Scenario scenario, Moment moment) {
    return switch (moment) {
      case CONNECTING -> {
        scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
        yield scenario.askStream();
      }
      case QUEUED, WAITING_FOR_THE_HEAD -> scenario.askStream();
      case IN_BACKOFF -> {
        RecordedClient client = scenario.askStream();
        scenario
            .lastRequestLink()
            .send(OpenAiWire.error(429, "Retry-After: 2\r\n", "rate_limit", "slow"));
        scenario.run();
        yield client;
      }
      case WAITING_FOR_CONTENT -> {
        RecordedClient client = scenario.askStream();
        scenario
            .lastRequestLink()
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
        yield client;
      }
      case OPENED_EARLY -> {
        RecordedClient client = scenario.askStream();
        scenario
            .lastRequestLink()
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
        scenario.passSeconds(16);
        assertThat(client.isOpened()).isTrue();
        yield client;
      }
      case RELAYING -> {
        RecordedClient client = scenario.askStream();
        scenario
            .lastRequestLink()
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
        yield client;
      }
      case FINISHED_BUT_FOR_THE_USAGE -> {
        RecordedClient client = scenario.askStream();
        scenario
            .lastRequestLink()
            .send(
                OpenAiWire.STREAM_HEAD
                    + OpenAiWire.event(OpenAiWire.content("one"))
                    + OpenAiWire.event(OpenAiWire.finish("stop")));
        yield client;
      }
      case COLLECTING_A_PLAIN_REPLY -> {
        RecordedClient client = scenario.askPlain();
        scenario.lastRequestLink().send(OpenAiWire.completion("half a reply").substring(0, 200));
        yield client;
      }
    };
  }

  private static void resetAll(Scenario scenario) {
    scenario.connector().links().stream().filter(ProviderLink::isOpen).forEach(ProviderLink::reset);
    scenario.run();
  }
}
