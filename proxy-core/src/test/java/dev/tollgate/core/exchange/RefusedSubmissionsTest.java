package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A submission that cannot be carried out gets the stored reply of its key, or a refusal. */
class RefusedSubmissionsTest {
  private static final Endpoint IMAGES = Endpoint.IMAGE_GENERATIONS;
  private static final String BODY = "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}";
  private static final String OTHER = "{\"model\":\"acme/one\",\"prompt\":\"A wall.\"}";
  private static final String MADE = OpenAiWire.images(7, 1_290);
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "stopping").withRetryAfter(1);

  private static Scenario scenario() {
    return Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.withSensitiveBreaker("alpha")));
  }

  private static RecordedClient submit(Scenario scenario) {
    return scenario.submit(IMAGES, BODY, "k");
  }

  private static String made(Scenario scenario) {
    RecordedClient first = submit(scenario);
    scenario.link(0).send(MADE);
    return first.whole().body();
  }

  @Test
  void whatIsKeptNeedsNoProvider() {
    try (var scenario = scenario()) {
      String first = made(scenario);
      submit(scenario).whole();
      RecordedClient doubtful = scenario.submit(IMAGES, BODY, "doubtful");
      scenario.lastRequestLink().send(OpenAiWire.error(503, "overloaded", "No."));
      scenario.run();
      int begun = scenario.ledger().begun();
      assertThat(scenario.submit(IMAGES, BODY, "new").fault().code())
          .isEqualTo(ErrorCode.NO_PROVIDER_AVAILABLE);

      RecordedClient again = submit(scenario);
      assertThat(again.whole().status()).isEqualTo(200);
      assertThat(again.whole().body()).isEqualTo(first);
      assertThat(again.field("Idempotent-Replayed")).isEqualTo("true");
      assertThat(again.field("Server-Timing")).startsWith("gw;dur=");
      assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.REPLAYED);
      assertThat(scenario.records().getLast().http().responseBytes()).isEqualTo(first.length());
      RecordedClient other = scenario.submit(IMAGES, OTHER, "k");
      assertThat(other.fault().code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
      RecordedClient failed = scenario.submit(IMAGES, BODY, "doubtful");
      assertThat(failed.whole().status()).isEqualTo(doubtful.fault().code().status());
      assertThat(failed.field("x-should-retry")).isEqualTo("false");

      RecordedClient none = scenario.ask(IMAGES, BODY);
      assertThat(none.fault().code()).isEqualTo(ErrorCode.NO_PROVIDER_AVAILABLE);
      assertThat(scenario.submissions().keys()).as("what was refused has no key").isEqualTo(2);
      assertThat(scenario.ledger().begun()).as("no money was set aside").isEqualTo(begun);
      assertThat(scenario.requests()).isEqualTo(2);
    }
  }

  @Test
  void aRefusalWithoutProvidersHasItsReasonOnce() {
    try (var scenario = scenario()) {
      scenario.ask(IMAGES, BODY);
      scenario.link(0).send(OpenAiWire.error(503, "overloaded", "No."));
      RecordedClient refused = submit(scenario);
      assertThat(refused.fault().retryAfterSeconds()).isPositive();
      assertThat(refused.field("X-LLM-Routing-Reason")).contains("selected=none");
      assertThat(scenario.lastServed().provider()).isNull();
      assertThat(scenario.records().getLast().outcome())
          .isEqualTo(RequestOutcome.PROVIDER_UNAVAILABLE);

      scenario.submissions().setUnavailable(true);
      assertThat(submit(scenario).fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      scenario.submissions().setUnavailable(false);
      scenario.submissions().holdAnswers();
      RecordedClient leaves = submit(scenario);
      leaves.disconnect(DisconnectReason.ABORTED);
      RecordedClient cut = scenario.submit(IMAGES, BODY, "cut");
      cut.cutShort(STOPPING);
      scenario.submissions().answer();
      scenario.run();
      assertThat(cut.fault()).isEqualTo(STOPPING);
      assertThat(leaves.isAnswered()).isFalse();
      assertThat(scenario.submissions().keys()).isZero();
      assertThat(scenario.requests()).isOne();
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyARouteThatNeedsAKeyRefusesARequestWithout(Endpoint.IdempotencyPolicy wanted) {
    Fault without = Exchanges.checkIdempotencyKey(wanted, null);
    if (wanted == Endpoint.IdempotencyPolicy.REQUIRED) {
      assertThat(without).isNotNull();
      assertThat(without.code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_REQUIRED);
      assertThat(without.code().status()).isEqualTo(400);
      assertThat(without.message()).contains("Idempotency-Key");
    } else {
      assertThat(without).isNull();
    }
    assertThat(Exchanges.checkIdempotencyKey(wanted, "k")).isNull();
    Fault tooLong = Exchanges.checkIdempotencyKey(wanted, "k".repeat(256));
    assertThat(tooLong).isNotNull();
    assertThat(tooLong.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(tooLong.param()).isEqualTo("Idempotency-Key");
  }

  @Test
  void aReplyWithoutRoomIsGivenOnceAndItsKeySaysSo() {
    try (var scenario = scenario()) {
      scenario.submissions().setFull(true);
      made(scenario);
      RecordedClient again = submit(scenario);
      assertThat(again.whole().status()).isEqualTo(409);
      assertThat(again.whole().body())
          .contains("\"code\":\"idempotency_conflict\"")
          .contains("found no room beside the organization's others")
          .contains(scenario.records().getLast().id().value());
      assertThat(again.field("x-should-retry")).isEqualTo("false");
      assertThat(again.field("Idempotent-Replayed")).isEqualTo("true");
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void tooManyRequestsAtOnceAreRefusedWithARetryAfter() {
    try (var scenario = scenario()) {
      scenario.submissions().crowd(true);
      Fault fault = submit(scenario).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.CONCURRENCY_EXCEEDED);
      assertThat(fault.retryAfterSeconds()).isOne();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(scenario.ledger().begun()).isZero();
      scenario.submissions().crowd(false);
      made(scenario);
    }
  }
}
