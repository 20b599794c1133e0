package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.RetrySchedule;
import java.time.Duration;

/**
 * Retry schedule and timeout of webhook delivery attempts.
 *
 * @param timeout longest duration of one attempt
 */
public record SenderRules(RetrySchedule schedule, Duration timeout) {
  /** Time for the store and a busy node beside the attempt itself. */
  private static final Duration MARGIN = Duration.ofSeconds(20);

  /** An attempt that starts later could outlast its lease and overlap with another node's. */
  static final Duration BEGIN_MAX = MARGIN.dividedBy(2);

  /** Returns the lease of an attempt, during which no other node makes it. */
  Duration lease() {
    return timeout.plus(MARGIN);
  }
}
