package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.RetrySchedule;
import java.time.Duration;

/**
 * How receivers are asked.
 *
 * @param timeout of one attempt
 */
public record SenderRules(RetrySchedule schedule, Duration timeout) {
  /** What the store and a busy node may take beside an attempt. */
  private static final Duration MARGIN = Duration.ofSeconds(20);

  /** Whoever has not begun by then would end when the attempt may be another's. */
  static final Duration BEGIN_MAX = MARGIN.dividedBy(2);

  /** For so long an attempt is nobody else's. */
  Duration lease() {
    return timeout.plus(MARGIN);
  }
}
