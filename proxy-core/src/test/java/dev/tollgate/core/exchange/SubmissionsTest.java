package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.responses.ResponseEventChoice;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.BrokenStreamEnd;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Ledger.ReserveResult.RefusalCause;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A submission that carries a key is carried out once, however its first sender ends. */
class SubmissionsTest {
  private static final Endpoint IMAGES = Endpoint.IMAGE_GENERATIONS;
  private static final String BODY = "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}";
  private static final String OTHER = "{\"model\":\"acme/one\",\"prompt\":\"A wall.\"}";
  private static final String MADE = OpenAiWire.images(7, 1_290);
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "stopping").withRetryAfter(1);

  private static Scenario scenario() {
    return Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all("alpha", "beta")));
  }

  private static RecordedClient submit(Scenario scenario) {
    return scenario.submit(IMAGES, BODY, "k");
  }

  private static String made(Scenario scenario) {
    RecordedClient first = submit(scenario);
    scenario.link(0).send(MADE);
    return first.whole().body();
  }

  // Repeats

  @Test
  void whoSendsItAgainGetsTheSameReplyForNothing() {
    try (var scenario = scenario()) {
      RecordedClient first = submit(scenario);
      scenario.link(0).send(MADE);
      for (int i = 0; i < 2; i++) {
        RecordedClient again = submit(scenario);
        assertThat(again.whole().status()).isEqualTo(200);
        assertThat(again.whole().body()).isEqualTo(first.whole().body());
        assertThat(again.whole().contentType()).isEqualTo(first.whole().contentType());
        assertThat(again.field("Idempotent-Replayed")).isEqualTo("true");
        for (String name : new String[] {"Provider", "Model", "Routing-Reason", "Cost-Micro"}) {
          assertThat(again.field("X-LLM-" + name)).isEqualTo(first.field("X-LLM-" + name));
        }
        assertThat(again.field("Server-Timing")).startsWith("gw;dur=");
        assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.REPLAYED);
        assertThat(scenario.lastServed().cost().value()).isZero();
      }
      assertThat(hasField(first, "Idempotent-Replayed")).isFalse();
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void anotherBodyIsAConflict() {
    try (var scenario = scenario()) {
      made(scenario);
      RecordedClient other = scenario.submit(IMAGES, OTHER, "k");
      assertThat(other.fault().code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
      assertThat(other.fault().shouldRetry()).isFalse();
      assertThat(scenario.requests()).isOne();
    }
  }

  @Test
  void whatRunsIsToBeAskedForLater() {
    try (var scenario = scenario()) {
      RecordedClient first = submit(scenario);
      assertRuns(submit(scenario), 1);
      scenario.passSeconds(10);
      assertRuns(submit(scenario), 10);
      scenario.passSeconds(90);
      assertRuns(submit(scenario), 30);
      scenario.link(0).send(MADE);
      assertThat(submit(scenario).whole().body()).isEqualTo(first.whole().body());
      assertThat(scenario.requests()).isOne();
    }
  }

  private static void assertRuns(RecordedClient client, int seconds) {
    assertThat(client.fault().code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
    assertThat(client.fault().retryAfterSeconds()).isEqualTo(seconds);
    assertThat(client.fault().shouldRetry()).isTrue();
  }

  @Test
  void otherKeysAndNoneAreOtherSubmissions() {
    try (var scenario = scenario()) {
      made(scenario);
      RecordedClient other = scenario.submit(IMAGES, BODY, "other");
      scenario.lastRequestLink().send(MADE);
      RecordedClient none = scenario.ask(IMAGES, BODY);
      scenario.lastRequestLink().send(MADE);
      assertThat(hasField(other, "Idempotent-Replayed")).isFalse();
      assertThat(hasField(none, "Idempotent-Replayed")).isFalse();
      assertThat(scenario.requests()).isEqualTo(3);
      assertThat(scenario.submissions().keys()).isEqualTo(2);
    }
  }

  @Test
  void aReplyIsForgottenAfterADay() {
    try (var scenario = scenario()) {
      made(scenario);
      scenario.passCoarse(24 * 3_600_000L + 1);
      submit(scenario);
      scenario.lastRequestLink().send(MADE);
      assertThat(scenario.requests()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\tb", "a\u0001"})
  void anUnsoundKeyIsRefused(String key) {
    try (var scenario = scenario()) {
      Fault fault = scenario.submit(IMAGES, BODY, key).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(fault.param()).isEqualTo("Idempotency-Key");
      assertThat(scenario.submit(IMAGES, BODY, "k".repeat(256)).fault().param())
          .isEqualTo("Idempotency-Key");
      assertThat(scenario.requests()).isZero();
    }
  }

  // How it ends

  @Test
  void whatIsRefusedAheadOfAProviderFreesTheKey() {
    try (var scenario = scenario()) {
      Fault empty = Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "no");
      scenario.ledger().refuse(empty, RefusalCause.INSUFFICIENT_FUNDS);
      assertThat(submit(scenario).fault()).isEqualTo(empty);
      assertThat(scenario.submissions().keys()).isZero();
    }
  }

  @Test
  void whoCannotBeReachedFreesTheKey() {
    try (var scenario = scenario()) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.REFUSES);
      scenario.connector().behavior("beta.example", ConnectBehavior.REFUSES);
      RecordedClient client = submit(scenario);
      scenario.passSeconds(5);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(scenario.submissions().keys()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 413, 422, 429})
  void whatAProviderRefusesFreesTheKey(int status) {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0).send(OpenAiWire.error(status, "no", "No."));
      assertThat(client.answer()).isInstanceOf(Answer.Refused.class);
      assertThat(scenario.submissions().keys()).isZero();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }

  /** How a provider that got the request leaves it open whether it made the image. */
  enum Doubt {
    FAILS,
    BREAKS_OFF,
    RESETS,
    SAYS_NOTHING,
    TALKS_NONSENSE
  }

  @ParameterizedTest
  @EnumSource
  void aPossiblyExecutedRequestIsReportedAsItsFailure(Doubt doubt) {
    try (var scenario = scenario()) {
      RecordedClient first = submit(scenario);
      switch (doubt) {
        case FAILS -> scenario.link(0).send(OpenAiWire.error(503, "overloaded", "No."));
        case BREAKS_OFF -> scenario.link(0).send(MADE.substring(0, MADE.length() - 9)).fin();
        case RESETS -> scenario.link(0).reset();
        case SAYS_NOTHING -> scenario.passSeconds(3_600);
        case TALKS_NONSENSE -> scenario.link(0).send(OpenAiWire.response(200, "OK", "", "[]"));
      }
      scenario.run();
      Fault fault = first.fault();
      assertThat(fault.shouldRetry()).isFalse();

      Answer.Whole again = submit(scenario).whole();
      assertThat(again.status()).isEqualTo(fault.code().status());
      assertThat(again.contentType()).isEqualTo("application/json");
      RequestId id = scenario.records().get(1).id();
      assertThat(again.body())
          .contains("\"code\":\"" + fault.code().wire() + "\"")
          .contains("\"request_id\":\"" + id + "\"");
      RecordedClient third = submit(scenario);
      RequestId thirdId = scenario.records().get(2).id();
      assertThat(thirdId).isNotEqualTo(id);
      assertThat(third.whole().body()).isEqualTo(again.body().replace(id.value(), thirdId.value()));
      assertThat(third.field("x-should-retry")).isEqualTo("false");
      assertThat(third.field("Idempotent-Replayed")).isEqualTo("true");
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }

  @Test
  void aReplyThatIsTooLargeIsGivenOnceAndItsKeySaysSo() {
    var options =
        new ExchangeOptions(
            Duration.ofSeconds(15),
            Duration.ofSeconds(15),
            100,
            ResponseEventChoice.LISTED,
            BrokenStreamEnd.ABORT);
    var catalog = TestCatalog.of(Modality.IMAGE, TestCatalog.provider("alpha"));
    try (var scenario = Scenario.of(catalog, options)) {
      assertThat(made(scenario)).hasSizeGreaterThan(100);

      RecordedClient again = submit(scenario);
      assertThat(again.whole().status()).isEqualTo(409);
      assertThat(again.whole().body())
          .contains("\"code\":\"idempotency_conflict\"")
          .contains("larger than 100 bytes");
      assertThat(again.field("x-should-retry")).isEqualTo("false");
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void aReplyWithoutRoomIsAskedForLater() {
    try (var scenario = scenario()) {
      int bytes = made(scenario).length();
      InflightBytes.Permit others =
          scenario.inflight().tryAcquire((1 << 20) - BODY.length() - bytes + 1).orElseThrow();
      Fault fault = submit(scenario).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(fault.shouldRetry()).isTrue();
      assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.SHED);
      others.end();
      assertThat(submit(scenario).whole().status()).isEqualTo(200);
    }
  }

  // The client is gone

  @Test
  void whoLeavesBeforeItsTurnLeavesNothingBehind() {
    try (var scenario = scenario()) {
      scenario.submissions().holdAnswers();
      RecordedClient client = submit(scenario);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.submissions().answer();
      assertThat(scenario.submissions().keys()).isZero();
      assertThat(scenario.links()).isZero();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
    }
  }

  @Test
  void aDisconnectBeforeAReplayGetsNoReply() {
    try (var scenario = scenario()) {
      made(scenario);
      scenario.submissions().holdAnswers();
      RecordedClient client = submit(scenario);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.submissions().answer();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  /** When a client leaves whose turn it is. */
  enum Moment {
    /** The store has still to note that a provider may hear of it. */
    BEFORE_DISPATCH,
    CONNECTING,
    WAITING,
    AMID_THE_REPLY,
    BEFORE_IT_IS_STORED
  }

  @ParameterizedTest
  @EnumSource
  void whatIsAClientsTurnIsCarriedOutAlsoWhenItLeaves(Moment moment) {
    try (var scenario = scenario()) {
      switch (moment) {
        case BEFORE_DISPATCH -> {
          scenario.ledger().holdAnswers();
          RecordedClient client = submit(scenario);
          scenario.submissions().holdAnswers();
          scenario.ledger().answer();
          client.disconnect(DisconnectReason.ABORTED);
          scenario.submissions().answer();
        }
        case CONNECTING -> {
          scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
          submit(scenario).disconnect(DisconnectReason.ABORTED);
          scenario.connector().acceptPending();
        }
        case WAITING -> submit(scenario).disconnect(DisconnectReason.ABORTED);
        case AMID_THE_REPLY -> {
          RecordedClient client = submit(scenario);
          client.writable(false);
          scenario.link(0).send(MADE.substring(0, 120));
          client.disconnect(DisconnectReason.STALLED);
        }
        case BEFORE_IT_IS_STORED -> {
          RecordedClient client = submit(scenario);
          scenario.submissions().holdAnswers();
          scenario.link(0).send(MADE);
          client.disconnect(DisconnectReason.ABORTED);
          scenario.submissions().answer();
        }
      }
      if (moment == Moment.AMID_THE_REPLY) {
        scenario.link(0).send(MADE.substring(120));
      } else if (moment != Moment.BEFORE_IT_IS_STORED) {
        scenario.link(0).send(MADE);
      }
      scenario.run();
      RequestOutcome ending = scenario.record().outcome();
      assertThat(ending).isIn(RequestOutcome.CLIENT_ABORT, RequestOutcome.CLIENT_STALLED);
      assertThat(scenario.served().cost().value()).isPositive();
      assertThat(scenario.ledger().charged()).hasSize(1);

      assertThat(submit(scenario).whole().body()).contains("\"x_llm_cost_micro\":");
      assertThat(scenario.requests()).isOne();
    }
  }

  @Test
  void aNodeThatStopsWaitsForIt() {
    try (var scenario = scenario()) {
      submit(scenario).disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.isDrained()).isFalse();
      scenario.submissions().holdAnswers();
      scenario.link(0).send(MADE);
      assertThat(scenario.isDrained()).isFalse();
      scenario.submissions().answer();
      assertThat(scenario.isDrained()).isTrue();
    }
  }

  @Test
  void aNodeThatStopsWaitsForAnImageWithoutAKeyToo() {
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(IMAGES, BODY);
      scenario.link(0);
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.isDrained()).isFalse();
      scenario.link(0).send(MADE);
      assertThat(scenario.isDrained()).isTrue();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void whatFailsAfterItsClientLeftIsStoredToo() {
    try (var scenario = scenario()) {
      submit(scenario).disconnect(DisconnectReason.ABORTED);
      scenario.link(0).send(OpenAiWire.error(500, "server_error", "No."));
      assertThat(submit(scenario).whole().status()).isEqualTo(503);
      assertThat(scenario.requests()).isOne();
    }
  }

  // The node stops

  @Test
  void whatIsCutShortAheadOfItsProviderFreesTheKey() {
    try (var scenario = scenario()) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      RecordedClient client = submit(scenario);
      client.cutShort(STOPPING);
      scenario.connector().acceptPending();
      assertThat(client.fault()).isEqualTo(STOPPING);
      assertThat(scenario.submissions().keys()).isZero();
    }
  }

  @Test
  void aStreamThatIsCutShortBehindItIsReported() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0);
      client.cutShort(STOPPING);
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(submit(scenario).whole().status()).isEqualTo(503);
      assertThat(scenario.requests()).isOne();
    }
  }

  // The store is gone

  @Test
  void nothingIsReservedBeforeTheClaimIsDecided() {
    try (var scenario = scenario()) {
      scenario.submissions().setUnavailable(true);
      RecordedClient client = submit(scenario);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
      assertThat(scenario.ledger().released()).isZero();
      assertThat(scenario.links()).isZero();
      // A request without a key does not need the store.
      scenario.ask(IMAGES, BODY);
      scenario.link(0).send(MADE);
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void noProviderHearsOfWhatCouldNotBeNoted() {
    try (var scenario = scenario()) {
      scenario.ledger().holdAnswers();
      RecordedClient client = submit(scenario);
      scenario.submissions().setUnavailable(true);
      scenario.ledger().answer();
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.ledger().released()).isOne();
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void whatWasMadeIsGivenAndChargedAlsoWhereItCannotBeStored() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0);
      scenario.submissions().setUnavailable(true);
      scenario.link(0).send(MADE);
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.ledger().charged()).hasSize(1);

      scenario.submissions().setUnavailable(false);
      scenario.passSeconds(31);
      assertThat(submit(scenario).whole().status()).isEqualTo(502);
      assertThat(scenario.requests()).isOne();
    }
  }

  /** In this order a node that dies in between gives something away, and charges for nothing. */
  @Test
  void theReplyIsStoredAheadOfTheCharge() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0);
      scenario.submissions().holdAnswers();
      scenario.link(0).send(MADE);
      scenario.run();
      assertThat(scenario.ledger().charged()).isEmpty();
      assertThat(client.isAnswered()).isFalse();
      scenario.submissions().answer();
      assertThat(scenario.ledger().charged()).hasSize(1);
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void anInternalFaultBehindTheProviderIsReported() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      client.failOn(Reply.Whole.class);
      scenario.link(0).send(MADE);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.INTERNAL_FAILURE);
      assertThat(submit(scenario).whole().status()).isEqualTo(200); // it was stored before
      assertThat(scenario.requests()).isOne();
    }
  }

  private static boolean hasField(RecordedClient client, String name) {
    return client.whole().fields().stream().anyMatch(field -> field.name().equals(name));
  }
}
