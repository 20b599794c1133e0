package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.RecordResult;
import java.time.Duration;

/**
 * Recorder of webhook delivery attempts in the outbox. It retries for a while, because an
 * unrecorded delivery would reach its receiver again.
 */
record AttemptRecorder(Outbox outbox, Pause pause) {
  private static final int ATTEMPTS_MAX = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

  /** Blocking wait of the calling thread. */
  interface Pause {
    void sleep(Duration time) throws InterruptedException;
  }

  RecordResult recordAttempt(Attempt attempt) throws OutboxException, InterruptedException {
    Duration next = FIRST_PAUSE;
    for (int left = ATTEMPTS_MAX - 1; left > 0; left--) {
      try {
        return outbox.recordAttempt(attempt);
      } catch (OutboxException e) {
        pause.sleep(next);
        next = next.multipliedBy(2);
      }
    }
    return outbox.recordAttempt(attempt);
  }
}
