package dev.tollgate.core.routing;

import java.util.Locale;

/** Why a provider is sent more than its requests. */
public enum ExtraAttempt {
  /** After a failure. */
  RETRY,
  /** Beside another provider whose first token is late. */
  HEDGE;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in metrics. */
  public String wire() {
    return wire;
  }
}
