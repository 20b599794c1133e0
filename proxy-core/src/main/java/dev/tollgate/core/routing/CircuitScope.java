package dev.tollgate.core.routing;

import java.util.Locale;

/** What a circuit breaker protects, and so whose requests it stops when it opens. */
public enum CircuitScope {
  /** An endpoint that cannot be reached: all models and organizations. */
  ENDPOINT,
  /** A model at an endpoint: all organizations. */
  MODEL,
  /** A model at an endpoint, for one organization. */
  ORGANIZATION;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics. */
  public String wire() {
    return wire;
  }
}
