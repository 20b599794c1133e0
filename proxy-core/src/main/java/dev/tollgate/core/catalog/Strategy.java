package dev.tollgate.core.catalog;

import java.util.Locale;
import java.util.Optional;

/** How the providers of a model are ordered (docs/decisions/routing.md#strategies). */
public enum Strategy {
  /** By the priority of their routes. */
  PRIORITY,
  /** The cheapest first. */
  COST,
  /** The fastest to a first token first. */
  LATENCY,
  /** The one that writes fastest first. */
  THROUGHPUT,
  /** Drawn by the weight of their routes. */
  WEIGHTED,
  /** In turn. */
  ROUND_ROBIN,
  /** The one with the fewest open requests first. */
  LEAST_BUSY;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in requests, headers and the configuration. */
  public String wire() {
    return wire;
  }

  /** The strategy of a name, where it is one. */
  public static Optional<Strategy> parse(String name) {
    for (Strategy strategy : values()) {
      if (strategy.wire.equals(name)) {
        return Optional.of(strategy);
      }
    }
    return Optional.empty();
  }
}
