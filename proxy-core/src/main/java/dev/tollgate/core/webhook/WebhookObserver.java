package dev.tollgate.core.webhook;

import java.time.Duration;

/**
 * Port to the metrics of webhook deliveries. Its methods are called from any thread:
 * implementations neither block nor throw.
 */
public interface WebhookObserver {
  /** A first attempt begins, {@code age} after its job ended. */
  void began(Duration age);

  /** An attempt ended and was recorded; called once for each. */
  void attempted(String outcome, Duration took);

  /** A delivery ended as {@code delivered}, {@code gone} or {@code failed}. */
  void ended(String outcome);
}
