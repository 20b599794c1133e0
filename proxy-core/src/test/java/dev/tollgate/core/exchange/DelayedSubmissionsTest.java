package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** What was made while the store is away is neither lost nor charged for nothing. */
class DelayedSubmissionsTest {
  private static final Endpoint IMAGES = Endpoint.IMAGE_GENERATIONS;
  private static final String BODY = "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}";
  private static final String MADE = OpenAiWire.images(7, 1_290);

  private static Scenario scenario() {
    return Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all("alpha")));
  }

  private static RecordedClient submit(Scenario scenario) {
    return scenario.submit(IMAGES, BODY, "k");
  }

  @Test
  void whoWaitsDoesNotWaitForAStoreThatIsAway() {
    try (var scenario = scenario()) {
      scenario.submissions().stallReplies(true);
      RecordedClient first = submit(scenario);
      scenario.link(0).send(MADE);
      assertThat(first.whole().status()).isEqualTo(200);
      assertThat(scenario.ledger().charged()).hasSize(1);

      scenario.submissions().stallReplies(false);
      assertThat(submit(scenario).whole().body()).isEqualTo(first.whole().body());
      assertThat(scenario.ledger().charged()).hasSize(1);
    }
  }

  @Test
  void aBodyCountsForAsLongAsTheStoreHasIt() {
    try (var scenario = scenario()) {
      scenario.submissions().holdAnswers();
      submit(scenario).disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.records()).hasSize(1);
      assertThat(scenario.inflight().held()).isPositive();
      scenario.submissions().answer();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void whoLeftIsChargedWhenItIsThereToBeFetched() {
    try (var scenario = scenario()) {
      scenario.submissions().stallReplies(true);
      submit(scenario).disconnect(DisconnectReason.ABORTED);
      scenario.link(0).send(MADE);
      scenario.passSeconds(30);
      assertThat(scenario.ledger().charged()).isEmpty();

      scenario.submissions().stallReplies(false);
      assertThat(scenario.ledger().charged()).hasSize(1);
      assertThat(submit(scenario).whole().status()).isEqualTo(200);
    }
  }

  @Test
  void aLostResultIsNotCharged() {
    try (var scenario = scenario()) {
      submit(scenario).disconnect(DisconnectReason.ABORTED);
      scenario.link(0);
      scenario.submissions().setUnavailable(true);
      scenario.link(0).send(MADE);
      scenario.run();
      assertThat(scenario.ledger().charged()).isEmpty();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.lastServed().cost().value()).isZero();
    }
  }

  @Test
  void whoLeavesWhileItIsTriedAgainIsNotChargedForWhatIsLost() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0);
      scenario.submissions().holdAnswers();
      scenario.submissions().setUnavailable(true);
      scenario.link(0).send(MADE);
      client.disconnect(DisconnectReason.ABORTED);
      scenario.submissions().answer();
      scenario.run();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }

  @Test
  void aFaultWhileItsReplyIsPutTogetherLeavesTheKeyToItsLease() {
    try (var scenario = scenario()) {
      RecordedClient client = submit(scenario);
      scenario.link(0);
      scenario.submissions().failNext();
      scenario.link(0).send(MADE);
      scenario.run();
      assertThat(client.isAnswered()).isTrue();
      assertThat(scenario.submissions().open()).as("nobody renews it any more").isZero();
      assertThat(scenario.inflight().held()).isZero();

      scenario.passSeconds(31);
      assertThat(submit(scenario).whole().status()).isEqualTo(502);
    }
  }
}
