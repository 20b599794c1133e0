package dev.tollgate.core.webhook;

import dev.tollgate.core.fetch.Posted;

/** What an attempt means for its delivery. */
public enum Verdict {
  /** The receiver has it. */
  DELIVERED,
  /** The receiver wants nothing any more. */
  GONE,
  /** Nobody has it, and another attempt may bring it. */
  AGAIN;

  private static final int STATUS_GONE = 410;

  /** A redirect is no receiver: who moves says so where jobs are submitted. */
  public static Verdict of(Posted posted) {
    return switch (posted) {
      case Posted.Answered answered -> of(answered.status());
      case Posted.Failed _ -> AGAIN;
    };
  }

  private static Verdict of(int status) {
    if (status == STATUS_GONE) {
      return GONE;
    }
    return status >= 200 && status < 300 ? DELIVERED : AGAIN;
  }
}
