package dev.tollgate.core.catalog;

import java.util.Locale;
import java.util.Optional;

/**
 * Strategy that orders the candidate providers of a model for a request
 * (docs/decisions/routing.md#strategies).
 */
public enum Strategy {
  /** By the priority of their routes. */
  PRIORITY,
  /** The one that costs the operator least first. */
  COST,
  /** The lowest latency to a first token first. */
  LATENCY,
  /** The most tokens per second first. */
  THROUGHPUT,
  /** At random, by the weight of the routes. */
  WEIGHTED,
  /** Each provider in rotation. */
  ROUND_ROBIN,
  /** The fewest open requests first. */
  LEAST_BUSY;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in requests, headers and the configuration. */
  public String wire() {
    return wire;
  }

  /** Returns the strategy of a name; empty means the name is unknown. */
  public static Optional<Strategy> parse(String name) {
    for (Strategy strategy : values()) {
      if (strategy.wire.equals(name)) {
        return Optional.of(strategy);
      }
    }
    return Optional.empty();
  }
}
