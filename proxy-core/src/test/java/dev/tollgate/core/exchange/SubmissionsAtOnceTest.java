package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A hundred identical submissions at once are one, in whatever order the store answers them. */
class SubmissionsAtOnceTest {
  private static final String BODY = "{\"model\":\"acme/one\",\"prompt\":\"A gate.\"}";
  private static final String MADE = OpenAiWire.images(7, 1_290);
  private static final int CLIENTS = 100;

  @Test
  void oneProviderCallAndOneCharge() {
    Seeds.forEach(20, SubmissionsAtOnceTest::play);
  }

  private static void play(RandomGenerator random) {
    try (var scenario = Scenario.of(TestCatalog.of(Modality.IMAGE, TestCatalog.all("a", "b")))) {
      List<RecordedClient> clients = new ArrayList<>();
      boolean replied = false;
      scenario.submissions().holdAnswers();
      while (clients.size() < CLIENTS || !replied || scenario.submissions().waiting() > 0) {
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> {
            boolean allLeft =
                !replied && scenario.submissions().keys() + scenario.submissions().waiting() == 0;
            if (clients.size() < CLIENTS || allLeft) {
              clients.add(scenario.submit(Endpoint.IMAGE_GENERATIONS, BODY, "k"));
            }
          }
          case 3, 4, 5 -> {
            if (scenario.submissions().waiting() > 0) {
              scenario.submissions().answerAny(random);
            }
          }
          case 6 -> {
            if (scenario.requests() > 0 && !replied) {
              scenario.lastRequestLink().send(MADE);
              replied = true;
            }
          }
          default -> {
            if (!clients.isEmpty() && random.nextInt(10) == 0) {
              clients.get(random.nextInt(clients.size())).disconnect(DisconnectReason.ABORTED);
            }
          }
        }
        scenario.run();
      }
      assertThat(scenario.requests()).isOne();
      assertThat(scenario.ledger().charged()).hasSize(1);
      clients.forEach(SubmissionsAtOnceTest::assertReported);
    }
  }

  private static void assertReported(RecordedClient client) {
    if (!client.isAnswered()) {
      return; // it left
    }
    switch (client.answer()) {
      case Answer.Whole whole -> assertThat(whole.status()).isEqualTo(200);
      case Answer.Refused refused -> {
        Fault fault = refused.fault();
        assertThat(fault.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
        assertThat(fault.retryAfterSeconds()).isPositive();
      }
      case Answer.Streamed _ -> throw new AssertionError("a stream");
    }
  }
}
