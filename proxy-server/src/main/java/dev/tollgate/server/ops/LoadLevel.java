package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint.Urgency;

/**
 * Levels of load shedding, in order, each with the fill at which it begins; a level includes all
 * before it. Running requests continue at every level, except for stalled streams at the last one.
 */
public enum LoadLevel {
  CALM(0, 0),
  /** Connections that are idle between requests are closed. */
  IDLE_CONNECTIONS(0.70, 1),
  LOOKUPS(0.75, 0.70),
  SUBMISSIONS(0.80, 0.75),
  BATCH(0.85, 0.80),
  /** Interactive requests of organizations above their fair share are refused. */
  ABOVE_SHARE(0.90, 0.90),
  /** All new requests are refused. */
  INTERACTIVE(0.95, 1),
  /** New connections wait in the backlog of the operating system. */
  CONNECTIONS(0.97, 1),
  /** Stalled streams are reset, the largest first. */
  STALLED_STREAMS(1.07, 1);

  private final double pressure;
  private final double room;

  LoadLevel(double pressure, double room) {
    this.pressure = pressure;
    this.room = room;
  }

  /** Returns the level as metrics show it: 0 is calm. */
  @SuppressWarnings("EnumOrdinal") // the order is the value
  int number() {
    return ordinal();
  }

  /** Returns the share of a bound at which this level begins. */
  public double pressure() {
    return pressure;
  }

  /**
   * Returns the share of the request limit at which this level begins: the last fifth is reserved
   * for interactive requests.
   */
  double room() {
    return room;
  }

  /** Returns the level at a fill of this share. */
  static LoadLevel of(double pressure) {
    LoadLevel reached = CALM;
    for (LoadLevel level : values()) {
      if (pressure >= level.pressure) {
        reached = level;
      }
    }
    return reached;
  }

  /** Returns the first level that refuses requests of this urgency, of any organization. */
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
