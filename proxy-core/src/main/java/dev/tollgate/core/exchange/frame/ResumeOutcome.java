package dev.tollgate.core.exchange.frame;

import java.util.Locale;

/**
 * What became of a stream that broke off behind content and was to be continued
 * (docs/decisions/retries.md#resume).
 */
public enum ResumeOutcome {
  /** None broke off, or it was not to be continued. */
  NO,
  /** Another provider continued it. */
  CONTINUED,
  /** Nobody could continue it. */
  FAILED,
  /** Asked anew, a provider gave another answer. */
  DIVERGED,
  /** More text was delivered than may be kept. */
  TOO_LONG,
  /** Something that cannot be continued was asked for or delivered, such as a tool call. */
  UNSUPPORTED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in metrics and logs. */
  public String wire() {
    return wire;
  }
}
