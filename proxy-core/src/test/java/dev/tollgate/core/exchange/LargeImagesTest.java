package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Images that are bought find a place, or are not bought; their size says nothing of a provider.
 */
class LargeImagesTest {
  private static final String ASK =
      "{\"model\":\"acme/one\",\"prompt\":\"A gate.\",\"response_format\":\"b64_json\"}";
  private static final int MOST = TestCatalog.IMAGE_REPLY_BYTES_MAX;

  private static Scenario scenario(Provider provider, long budget) {
    Catalog catalog = TestCatalog.of(Modality.IMAGE, provider);
    return Scenario.of(catalog, budget);
  }

  private static String reply(int bytes) {
    String image = "{\"data\":[{\"b64_json\":\"" + "A".repeat(bytes) + "\"}]}";
    return OpenAiWire.response(200, "OK", "", image);
  }

  @Test
  void theyMayBeLargerThanEvents() {
    try (var scenario = scenario(TestCatalog.provider("alpha"), 1 << 20)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(TestCatalog.EVENT_BYTES_MAX + 10));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().cost().value()).isPositive();
    }
  }

  @Test
  void whatIsTooLargeIsNoFailureOfItsProvider() {
    Provider touchy = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = scenario(touchy, 1 << 20)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(reply(MOST));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.PROVIDER_FAILURE);
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.PROVIDER_ERROR);
      assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("oversized");
      RecordedClient next = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(1).send(reply(10));
      assertThat(next.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void aPlaceIsTakenBeforeTheyAreBoughtAndGivenBackBeyondWhatTheyTake() {
    try (var scenario = scenario(TestCatalog.provider("alpha"), 1 << 20)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      client.holdsBodies(true);
      assertThat(scenario.inflight().held()).isEqualTo(MOST + ASK.length());
      scenario.link(0).send(reply(100_000));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.inflight().held()).isBetween(100_000L, 101_000L);
      client.holdsBodies(false);
    }
  }

  @Test
  void withoutAPlaceNothingIsBought() {
    try (var scenario = scenario(TestCatalog.provider("alpha"), 2L * MOST)) {
      var others = scenario.inflight().tryAcquire(MOST).orElseThrow();
      RecordedClient client = scenario.submit(Endpoint.IMAGE_GENERATIONS, ASK, "key");
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(client.fault().retryAfterSeconds()).isPositive();
      assertThat(client.fault().shouldRetry()).isNotEqualTo(false);
      assertThat(scenario.requests()).isZero();
      others.end();
      RecordedClient again = scenario.submit(Endpoint.IMAGE_GENERATIONS, ASK, "key");
      scenario.lastRequestLink().send(reply(10));
      assertThat(again.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void aPlaceThatWasTakenIsTheirsWhateverOthersTake() {
    try (var scenario = scenario(TestCatalog.provider("alpha"), 2L * MOST)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      long left = scenario.inflight().bytesMax() - scenario.inflight().held();
      var others = scenario.inflight().tryAcquire(left).orElseThrow();
      scenario.link(0).send(reply(MOST - 100));
      assertThat(client.whole().status()).isEqualTo(200);
      others.end();
    }
  }

  @Test
  void oneRequestDoesNotNeedAllOfASmallBudget() {
    try (var scenario =
        scenario(
            TestCatalog.withImageReplyLimit(TestCatalog.provider("alpha"), 1 << 30), 1 << 20)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      assertThat(scenario.inflight().held()).isEqualTo((1 << 19) + ASK.length());
      scenario.link(0).send(reply(600_000));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void whatDoesNotComeHoldsNothing() {
    try (var scenario = scenario(TestCatalog.withUnlimitedBreaker("alpha"), 1 << 20)) {
      RecordedClient client = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.link(0).send(OpenAiWire.error(400, "bad_value", "too hot"));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(scenario.inflight().held()).isZero();
      RecordedClient late = scenario.ask(Endpoint.IMAGE_GENERATIONS, ASK);
      scenario.pass(Duration.ofMinutes(5));
      assertThat(late.fault().code()).isEqualTo(ErrorCode.PROVIDER_TIMEOUT);
      assertThat(scenario.inflight().held()).isZero();
    }
  }
}
