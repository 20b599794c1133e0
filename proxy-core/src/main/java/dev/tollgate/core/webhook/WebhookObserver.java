package dev.tollgate.core.webhook;

import java.time.Duration;

/** Port to the metrics. Called by any thread: it must neither block nor throw. */
public interface WebhookObserver {
  /** A first attempt begins, so long after its job ended. */
  void began(Duration age);

  /** An attempt ended and was booked; called once for each. */
  void attempted(String outcome, Duration took);

  /** A delivery ended, as {@code delivered}, {@code gone} or {@code failed}. */
  void ended(String outcome);
}
