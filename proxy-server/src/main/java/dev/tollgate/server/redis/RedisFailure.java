package dev.tollgate.server.redis;

import java.util.Locale;

/** Kind of a failed call to Redis. */
public enum RedisFailure {
  /** No answer in time. */
  TIMEOUT,
  /** The connection is closed. */
  DISCONNECTED,
  /** Too many calls wait for answers. */
  QUEUE_FULL,
  /** Redis answered with an error, for example while it loads, as a replica, or out of memory. */
  REFUSED,
  /** Redis was not called, because it is considered down. */
  DOWN,
  /** A release was dropped, because too many were waiting for Redis to answer again. */
  END_DROPPED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in metrics. */
  public String wire() {
    return wire;
  }
}
