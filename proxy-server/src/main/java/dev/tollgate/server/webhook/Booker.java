package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.Booked;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import java.time.Duration;

/**
 * Books an attempt, again and again for a while: a receiver that has it would hear of it once more
 * if the store never learnt.
 */
record Booker(Outbox outbox, Pause pause) {
  private static final int TRIES = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

  /** A wait of the calling thread. */
  interface Pause {
    void await(Duration time) throws InterruptedException;
  }

  Booked book(Attempt attempt) throws OutboxException, InterruptedException {
    Duration next = FIRST_PAUSE;
    for (int left = TRIES - 1; left > 0; left--) {
      try {
        return outbox.book(attempt);
      } catch (OutboxException e) {
        pause.await(next);
        next = next.multipliedBy(2);
      }
    }
    return outbox.book(attempt);
  }
}
