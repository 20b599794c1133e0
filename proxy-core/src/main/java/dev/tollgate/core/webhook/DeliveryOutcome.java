package dev.tollgate.core.webhook;

import dev.tollgate.core.egress.PostResult;

/**
 * Whether a webhook event was delivered, must be retried, or is no longer accepted by its receiver.
 */
public enum DeliveryOutcome {
  /** The receiver accepted the event. */
  DELIVERED,
  /** The receiver replied 410 and accepts no more events. */
  GONE,
  /** The receiver did not accept the event; another attempt may succeed. */
  RETRY;

  private static final int STATUS_GONE = 410;

  /**
   * Classifies the result of a POST. Redirects are not followed, so they count as failures: a new
   * URL belongs in the submission.
   */
  public static DeliveryOutcome of(PostResult posted) {
    return switch (posted) {
      case PostResult.Answered answered -> of(answered.status());
      case PostResult.Failed _ -> RETRY;
    };
  }

  private static DeliveryOutcome of(int status) {
    if (status == STATUS_GONE) {
      return GONE;
    }
    return status >= 200 && status < 300 ? DELIVERED : RETRY;
  }
}
