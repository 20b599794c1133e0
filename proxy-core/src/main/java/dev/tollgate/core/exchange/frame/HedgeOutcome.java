package dev.tollgate.core.exchange.frame;

import java.util.Locale;

/** Outcome of a hedge: a second attempt beside one whose first token was late. */
public enum HedgeOutcome {
  /** No second attempt was started. */
  NO,
  /** The first provider served. */
  FIRST,
  /** The second provider served. */
  SECOND,
  /** Neither served. */
  NEITHER;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics. */
  public String wire() {
    return wire;
  }
}
