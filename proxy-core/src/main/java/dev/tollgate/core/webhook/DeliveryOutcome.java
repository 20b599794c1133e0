package dev.tollgate.core.webhook;

import dev.tollgate.core.egress.PostResult;

/** Meaning of an attempt for its delivery. */
public enum DeliveryOutcome {
  /** The receiver accepted the event. */
  DELIVERED,
  /** The receiver wants no more events. */
  GONE,
  /** The receiver did not accept the event; another attempt may succeed. */
  RETRY;

  private static final int STATUS_GONE = 410;

  /**
   * Redirects are not followed, so they count as failures: a new URL belongs into the submission.
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
