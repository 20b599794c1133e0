package dev.tollgate.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.egress.FetchOutcome;
import dev.tollgate.core.egress.PostResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Meaning of every reply that a receiver can give. */
class DeliveryOutcomeTest {
  @Test
  void everyStatusIsJudged() {
    for (int status = 200; status <= 999; status++) {
      DeliveryOutcome wanted =
          switch (status / 100) {
            case 2 -> DeliveryOutcome.DELIVERED;
            default -> status == 410 ? DeliveryOutcome.GONE : DeliveryOutcome.RETRY;
          };
      var answered = new PostResult.Answered(status, Duration.ZERO);
      assertThat(DeliveryOutcome.of(answered)).as("%s", status).isEqualTo(wanted);
    }
  }

  @Test
  void anUnansweredAttemptIsRetried() {
    for (FetchOutcome outcome : FetchOutcome.values()) {
      assertThat(DeliveryOutcome.of(new PostResult.Failed(outcome)))
          .isEqualTo(DeliveryOutcome.RETRY);
    }
  }
}
