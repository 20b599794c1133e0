package dev.tollgate.core.webhook;

import dev.tollgate.core.egress.PostResult;

/** What an attempt means for its delivery. */
public enum DeliveryOutcome {
  /** The receiver has it. */
  DELIVERED,
  /** The receiver wants nothing any more. */
  GONE,
  /** Nobody has it, and another attempt may bring it. */
  RETRY;

  private static final int STATUS_GONE = 410;

  /** A redirect is no receiver: who moves says so where jobs are submitted. */
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
