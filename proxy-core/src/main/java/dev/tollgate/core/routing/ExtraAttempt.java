package dev.tollgate.core.routing;

import java.util.Locale;

/** Reason for an attempt beyond the first one of a request. */
public enum ExtraAttempt {
  /** The attempt before it failed. */
  RETRY,
  /** The first token of another provider is late. */
  HEDGE;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics. */
  public String wire() {
    return wire;
  }
}
