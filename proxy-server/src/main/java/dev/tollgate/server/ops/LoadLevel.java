package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint.Urgency;

/**
 * How far a node has gone in shedding load, each level with all before it. What runs goes on at
 * every level, but at the last one what nobody takes.
 */
public enum LoadLevel {
  CALM(0, 0),
  /** Connections that idle between requests are closed. */
  IDLE_CONNECTIONS(0.70, 1),
  LOOKUPS(0.75, 0.70),
  SUBMISSIONS(0.80, 0.75),
  BATCH(0.85, 0.80),
  /** Interactive requests of organizations that have more than their fair share. */
  ABOVE_SHARE(0.90, 0.90),
  /** All new requests. */
  INTERACTIVE(0.95, 1),
  /** New connections wait in the system's backlog. */
  CONNECTIONS(0.97, 1),
  /** Streams that stand still are reset, the largest first. */
  STALLED_STREAMS(1.07, 1);

  private final double pressure;
  private final double room;

  LoadLevel(double pressure, double room) {
    this.pressure = pressure;
    this.room = room;
  }

  /** As metrics show it: 0 is calm. */
  @SuppressWarnings("EnumOrdinal") // their order is what they are
  int number() {
    return ordinal();
  }

  /** The share of a bound from which on this level is reached. */
  public double pressure() {
    return pressure;
  }

  /**
   * The share of the requests that may be in work from which on requests are judged as at this
   * level: the last fifth is for those whose clients wait.
   */
  double room() {
    return room;
  }

  /** The level of something that is filled to this share. */
  static LoadLevel of(double pressure) {
    LoadLevel reached = CALM;
    for (LoadLevel level : values()) {
      if (pressure >= level.pressure) {
        reached = level;
      }
    }
    return reached;
  }

  /** From which level on requests of this urgency are turned away, whoever sends them. */
  static LoadLevel shedding(Urgency urgency) {
    return switch (urgency) {
      case LOOKUP -> LOOKUPS;
      case SUBMISSION -> SUBMISSIONS;
      case BATCH -> BATCH;
      case INTERACTIVE -> INTERACTIVE;
    };
  }

  boolean isAtLeast(LoadLevel other) {
    return compareTo(other) >= 0;
  }
}
