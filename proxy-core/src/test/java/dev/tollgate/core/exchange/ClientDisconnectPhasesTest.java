package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The client aborts, stalls or is cut off in each phase (C03 to C06, C08, D09). */
@Tag("corpus")
class ClientDisconnectPhasesTest {
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The service is shutting down.");

  /** Progress of a request when its client disconnects. */
  enum Moment {
    QUEUED,
    CONNECTING,
    PAUSED_BEFORE_THE_NEXT_TRY,
    WAITING_FOR_THE_HEAD,
    WAITING_FOR_CONTENT,
    OPENED_EARLY,
    RELAYING,
    COLLECTING_A_PLAIN_REPLY
  }

  enum Event {
    ABORT,
    STALL,
    SHED,
    CUT_SHORT
  }

  static Stream<Arguments> momentsAndEvents() {
    return Stream.of(Moment.values())
        .flatMap(moment -> Stream.of(Event.values()).map(event -> Arguments.of(moment, event)));
  }

  @ParameterizedTest
  @MethodSource("momentsAndEvents")
  void theProviderIsCancelledAtOnceAndTheRequestIsRecordedOnce(Moment moment, Event event) {
    Provider one =
        TestCatalog.with(
            TestCatalog.provider("alpha"), new PoolLimits(1, 10, Duration.ofSeconds(30)));
    Catalog catalog = moment == Moment.QUEUED ? TestCatalog.of(one) : TestCatalog.of("alpha");
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient first = moment == Moment.QUEUED ? scenario.askPlain() : null;
      RecordedClient client = bring(scenario, moment);
      int requests = scenario.requests();
      switch (event) {
        case ABORT -> client.disconnect(DisconnectReason.ABORTED);
        case STALL -> client.disconnect(DisconnectReason.STALLED);
        case SHED -> client.disconnect(DisconnectReason.SHED);
        case CUT_SHORT -> client.cutShort(STOPPING);
      }
      scenario.run();

      RequestRecord record = scenario.record();
      assertThat(record.outcome()).isEqualTo(ending(event));
      boolean opened = moment == Moment.OPENED_EARLY || moment == Moment.RELAYING;
      int status = event == Event.CUT_SHORT ? 503 : 0;
      assertThat(record.status()).isEqualTo(opened ? 200 : status);
      long cost = scenario.served().usage().promptTokens() + 2;
      assertThat(scenario.served().cost().value()).isEqualTo(moment == Moment.RELAYING ? cost : 0);
      assertThat(scenario.served().attempts()).extracting("outcome").isEqualTo(outcomes(moment));
      assertThat(scenario.served().timing().phases().getLast().phase()).isEqualTo("ended");
      if (event == Event.CUT_SHORT) {
        assertThat(client.fault()).isEqualTo(STOPPING);
      } else {
        assertThat(client.isAnswered()).isFalse();
      }
      if (first != null) {
        scenario.link(0).send(OpenAiWire.completion("fine"));
        assertThat(first.whole().status()).isEqualTo(200);
      } else {
        assertThat(scenario.connector().links())
            .noneMatch(link -> link.isOpen() && scenario.leased() > 0);
        scenario.connector().acceptPending();
      }
      scenario.passSeconds(2);
      assertThat(scenario.requests()).as("nobody is asked any more").isEqualTo(requests);
    }
  }

  private static RecordedClient bring(Scenario scenario, Moment moment) {
    return switch (moment) {
      case QUEUED, WAITING_FOR_THE_HEAD -> scenario.askStream();
      case CONNECTING -> {
        scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
        yield scenario.askStream();
      }
      case PAUSED_BEFORE_THE_NEXT_TRY -> {
        RecordedClient client = scenario.askStream();
        scenario.link(0).send(OpenAiWire.error(500, "server_error", "oops"));
        yield client;
      }
      case WAITING_FOR_CONTENT -> {
        RecordedClient client = scenario.askStream();
        scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
        yield client;
      }
      case OPENED_EARLY -> {
        RecordedClient client = scenario.askStream();
        scenario.passSeconds(16);
        assertThat(client.isOpened()).isTrue();
        yield client;
      }
      case RELAYING -> {
        RecordedClient client = scenario.askStream();
        scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
        yield client;
      }
      case COLLECTING_A_PLAIN_REPLY -> {
        RecordedClient client = scenario.askPlain();
        scenario.link(0).send(OpenAiWire.completion("half a reply").substring(0, 200));
        yield client;
      }
    };
  }

  private static RequestOutcome ending(Event event) {
    return switch (event) {
      case ABORT -> RequestOutcome.CLIENT_ABORT;
      case STALL -> RequestOutcome.CLIENT_STALLED;
      case SHED -> RequestOutcome.SHED;
      case CUT_SHORT -> RequestOutcome.DRAINED;
    };
  }

  private static List<String> outcomes(Moment moment) {
    return moment == Moment.PAUSED_BEFORE_THE_NEXT_TRY
        ? List.of("server_error")
        : List.of("cancelled");
  }

  @Test
  void afterTheFinishTheUsageIsAwaitedForFiveSeconds() {
    FaultRow row = FaultRow.of("C05");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one"))
                  + OpenAiWire.event(OpenAiWire.finish("stop")));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.passMillis(4_000);
      assertThat(scenario.records()).isEmpty();
      scenario
          .link(0)
          .send(
              OpenAiWire.event(OpenAiWire.usage(7, 3))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);

      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      assertThat(scenario.served().usage().estimated()).as(row.charge()).isFalse();
      assertThat(scenario.served().cost().value()).isEqualTo(13);
    }
  }

  @Test
  void aUsageThatDoesNotComeWithinFiveSecondsIsEstimated() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one"))
                  + OpenAiWire.event(OpenAiWire.finish("stop")));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.passMillis(5_000);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.served().usage().estimated()).isTrue();
      scenario.passMillis(1_000);
      assertThat(scenario.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void aStalledClientDoesNotKeepTheProviderFromBeingReadToItsEnd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      client.writable(false);
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one"))
                  + OpenAiWire.event(OpenAiWire.finish("stop")));
      scenario
          .link(0)
          .send(
              OpenAiWire.event(OpenAiWire.usage(7, 3))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(scenario.records()).isEmpty();
      client.disconnect(DisconnectReason.STALLED);
      scenario.run();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_STALLED);
      assertThat(scenario.served().cost().value()).isEqualTo(13);
    }
  }

  @Test
  void aDrainedProviderIsReadOnForItsUsage() {
    try (var scenario = Scenario.of(TestCatalog.of(draining()))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.records()).isEmpty();
      scenario.link(0).send(OpenAiWire.wholeStream("two"));
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.served().usage().estimated()).isFalse();
    }
  }

  @Test
  void aDrainEndsAfterItsTime() {
    try (var scenario = Scenario.of(TestCatalog.of(draining()))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.disconnect(DisconnectReason.ABORTED);
      for (int n = 0; n < 9; n++) {
        scenario.passMillis(1_000).link(0).send(OpenAiWire.event(OpenAiWire.content("more")));
      }
      assertThat(scenario.records()).isEmpty();
      scenario.passMillis(1_000);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.served().usage().completionTokens()).isEqualTo(10);
      assertThat(scenario.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void onlyAShareOfTheOpenStreamsIsDrained() {
    try (var scenario = Scenario.of(TestCatalog.of(draining()))) {
      List<RecordedClient> clients = new ArrayList<>();
      for (int n = 0; n < 100; n++) {
        clients.add(scenario.askStream());
        scenario.link(n).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      }
      clients.forEach(client -> client.disconnect(DisconnectReason.ABORTED));
      assertThat(scenario.records()).as("2 % of 100 are read on").hasSize(98);
      scenario.passSeconds(10);
      assertThat(scenario.records()).hasSize(100);
    }
  }

  private static Provider draining() {
    return TestCatalog.with(
        TestCatalog.provider("alpha"), new OnDisconnect.Drain(Duration.ofSeconds(10), 0.02));
  }

  @Test
  void aClientThatLeavesAfterTheEndChangesNothing() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.record().outcome()).isEqualTo(FaultRow.of("C06").ending());
    }
  }

  @Test
  void aFreshConnectionInPlaceOfAStaleOneIsGivenUpWithTheRequest() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("first")).failWrites();
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      RecordedClient client = scenario.askPlain();
      assertThat(scenario.connector().pending()).as("connecting once more").isOne();
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.connector().pending()).isZero();
      scenario.connector().acceptPending();
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.leased()).isZero();
    }
  }
}
