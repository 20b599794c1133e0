package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger.ReserveResult.RefusalCause;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.InMemoryLedger.Charged;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every request sets its worst case aside before it is sent, and is charged or released once. */
class ReservationAndChargeTest {
  private static final Fault EMPTY =
      Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "The balance does not reach.");

  @Test
  void whatCannotBeReservedIsNeverSent() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().refuse(EMPTY, RefusalCause.INSUFFICIENT_FUNDS);
      RecordedClient client = scenario.askStream();
      assertThat(client.fault()).isEqualTo(EMPTY);
      assertThat(scenario.record().status()).isEqualTo(402);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(scenario.links()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CHAT_COMPLETIONS, max_tokens, '\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]'",
    "CHAT_COMPLETIONS, max_completion_tokens, '\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]'",
    "RESPONSES, max_output_tokens, '\"input\":\"Hi.\"'"
  })
  void aRefusalTellsTheBoundOfTheOutputThatFits(Endpoint endpoint, String param, String rest) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().refuseAbove(new MicroUsd(500), EMPTY);
      String asked = "{\"model\":\"acme/one\"," + rest + ",\"" + param + "\":";
      Fault fault = scenario.ask(endpoint, asked + "4000}").fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.INSUFFICIENT_CREDITS);
      long fitting = (Long) Objects.requireNonNull(fault.details().get("fitting_max_tokens"));
      assertThat(fault.message())
          .endsWith("It fits with " + param + " of at most " + fitting + ".");

      scenario.ask(endpoint, asked + (fitting + 1) + "}").fault();
      assertThat(scenario.links()).isZero();
      scenario.ask(endpoint, asked + fitting + "}");
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void whereNoOutputFitsThereIsNoAdvice() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().refuseAbove(new MicroUsd(2), EMPTY);
      assertThat(scenario.askPlain().fault()).isEqualTo(EMPTY);
    }
  }

  @Test
  void aLedgerThatCannotSayIsNoFaultOfTheClient() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().refuse(Fault.tryLater("Later."), RefusalCause.STORE_UNAVAILABLE);
      scenario.askPlain();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
    }
  }

  @Test
  void aLedgerThatHasNoRoomForMoreShedsTheRequest() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().refuse(Fault.tryLater("Later."), RefusalCause.NODE_OVERLOADED);
      scenario.askPlain();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void theReplyWaitsUntilItsChargeIsOnTheDisk() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().holdDisk();
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(client.isAnswered()).isFalse();
      assertThat(scenario.records()).isEmpty();

      scenario.ledger().sync();
      assertThat(client.whole().body()).contains("\"x_llm_cost_micro\":9");
      assertThat(charge(scenario).cost()).isEqualTo(new MicroUsd(9));
      assertThat(charge(scenario).how()).isEqualTo(SettlementKind.COMPLETED);
      assertThat(charge(scenario).reserved()).isGreaterThan(new MicroUsd(9));
    }
  }

  @Test
  void aStreamFlowsAndOnlyItsEndWaitsForTheDisk() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().holdDisk();
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one", "two"));
      assertThat(client.text()).contains("\"one\"", "\"two\"").doesNotContain("x_llm_cost_micro");
      assertThat(client.isAnswered()).isFalse();

      scenario.ledger().sync();
      assertThat(client.text()).contains("\"x_llm_cost_micro\":11").endsWith("[DONE]\n\n");
    }
  }

  @Test
  void aClientThatLeavesWhileItsChargeIsWrittenIsChargedAllTheSame() {
    for (boolean stream : new boolean[] {true, false}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
        scenario.ledger().holdDisk();
        RecordedClient client = stream ? scenario.askStream() : scenario.askPlain();
        scenario
            .link(0)
            .send(
                stream
                    ? OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one")
                    : OpenAiWire.completion("one"));
        client.disconnect(DisconnectReason.ABORTED);
        scenario.ledger().sync();
        assertThat(charge(scenario).cost()).isEqualTo(new MicroUsd(9));
        assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
        assertThat(scenario.served().cost()).isEqualTo(new MicroUsd(9));
      }
    }
  }

  @Test
  void aReservationThatComesAfterItsClientLeftIsReleased() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().holdAnswers();
      RecordedClient client = scenario.askStream();
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);

      scenario.ledger().answer();
      assertThat(scenario.ledger().released()).isOne();
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void aRefusalThatComesAfterItsClientLeftIsForgotten() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().holdAnswers();
      scenario.ledger().refuse(EMPTY, RefusalCause.INSUFFICIENT_FUNDS);
      RecordedClient client = scenario.askStream();
      client.disconnect(DisconnectReason.ABORTED);
      scenario.ledger().answer();
      assertThat(client.isAnswered()).isFalse();
      assertThat(scenario.record().status()).isZero();
    }
  }

  @Test
  void aFailedRequestIsReleasedOnceHoweverOftenItWasTried() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(400, "invalid_request_error", "no"));
      assertThat(scenario.ledger().released()).isOne();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }

  @Test
  void aFallbackIsChargedOnce() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "oops"));
      scenario.link(1).send(OpenAiWire.completion("one"));
      assertThat(charge(scenario).cost()).isEqualTo(new MicroUsd(9));
    }
  }

  @Test
  void aBrokenStreamIsChargedForWhatCame() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.ledger().holdDisk();
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")))
          .fin();
      assertThat(client.isAnswered()).isFalse();
      scenario.ledger().sync();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_DISCONNECT);
      assertThat(charge(scenario).how()).isEqualTo(SettlementKind.PARTIAL);
      assertThat(charge(scenario).tokens().estimated()).isTrue();
      assertThat(charge(scenario).cost()).isEqualTo(scenario.served().cost());
    }
  }

  @Test
  void aLongStreamSaysNowAndThenWhatItIsWorth() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      assertThat(scenario.ledger().progress()).isEmpty();
      scenario.passMillis(2_100);
      assertThat(scenario.ledger().progress()).as("nothing new came").isEmpty();
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("two")));
      assertThat(scenario.ledger().progress()).hasSize(1);
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("x")).repeat(300));
      assertThat(scenario.ledger().progress()).hasSize(2).isSorted();
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(charge(scenario).cost())
          .isGreaterThanOrEqualTo(scenario.ledger().progress().getLast());
    }
  }

  @Test
  void whatANodeThatStopsHadDeliveredIsCharged() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.cutShort(Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Stopping."));
      assertThat(charge(scenario).how()).isEqualTo(SettlementKind.PARTIAL);
    }
  }

  private static Charged charge(Scenario scenario) {
    assertThat(scenario.ledger().charged()).hasSize(1);
    return scenario.ledger().charged().getFirst();
  }
}
