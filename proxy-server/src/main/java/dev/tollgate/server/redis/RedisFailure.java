package dev.tollgate.server.redis;

import java.util.Locale;

/** Why Redis gave no answer. */
public enum RedisFailure {
  /** None came in time. */
  TIMEOUT,
  /** The connection is gone. */
  DISCONNECTED,
  /** Too many calls wait for answers. */
  QUEUE_FULL,
  /** Redis answered with an error: it loads, it is a replica, it is out of memory. */
  REFUSED,
  /** It was not asked, as it did not answer lately. */
  DOWN,
  /** It will not be told of an end, as too many wait until it answers again. */
  END_DROPPED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** The name in metrics. */
  public String wire() {
    return wire;
  }
}
