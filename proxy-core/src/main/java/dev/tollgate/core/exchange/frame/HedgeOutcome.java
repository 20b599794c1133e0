package dev.tollgate.core.exchange.frame;

import java.util.Locale;

/** What became of a second try beside one whose first token was late. */
public enum HedgeOutcome {
  /** There was none. */
  NO,
  /** The first provider served all the same. */
  FIRST,
  /** The second provider served. */
  SECOND,
  /** Neither did. */
  NEITHER;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in metrics. */
  public String wire() {
    return wire;
  }
}
