package dev.tollgate.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fetch.FetchOutcome;
import dev.tollgate.core.fetch.Posted;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Every answer a receiver can give has a meaning. */
class VerdictTest {
  @Test
  void everyStatusIsJudged() {
    for (int status = 200; status <= 999; status++) {
      Verdict wanted =
          switch (status / 100) {
            case 2 -> Verdict.DELIVERED;
            default -> status == 410 ? Verdict.GONE : Verdict.AGAIN;
          };
      var answered = new Posted.Answered(status, Duration.ZERO);
      assertThat(Verdict.of(answered)).as("%s", status).isEqualTo(wanted);
    }
  }

  @Test
  void whatNobodyAnsweredIsTriedAgain() {
    for (FetchOutcome outcome : FetchOutcome.values()) {
      assertThat(Verdict.of(new Posted.Failed(outcome))).isEqualTo(Verdict.AGAIN);
    }
  }
}
