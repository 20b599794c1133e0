package dev.tollgate.core.exchange.frame;

import java.util.Locale;

/**
 * Outcome of resuming, at another provider, a stream that broke off after content
 * (docs/decisions/retries.md#resume).
 */
public enum ResumeOutcome {
  /** The stream did not break off, or may not be resumed. */
  NO,
  /** Another provider continued the stream. */
  CONTINUED,
  /** No provider could continue the stream. */
  FAILED,
  /** A provider that got the request again gave another answer. */
  DIVERGED,
  /** More text was delivered than may be kept for resuming. */
  TOO_LONG,
  /** The request or the delivered content cannot be continued, such as a tool call. */
  UNSUPPORTED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics and logs. */
  public String wire() {
    return wire;
  }
}
