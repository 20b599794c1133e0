package dev.tollgate.server.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** State of the connection to Redis. */
sealed interface ConnectionState {
  /**
   * Redis answers calls. Members are counted under the epoch; a new epoch resolves everything that
   * was uncertain about the previous one.
   *
   * @param previousEpoch epoch of running acquisitions that are not restated yet
   * @param failures failures in a row
   * @param uncertain true if a release may have been lost
   * @param slotsFromNanos when all nodes have restated their slots, by the connection's clock
   */
  record Up(
      RedisConnection link,
      String epoch,
      String previousEpoch,
      AtomicReference<FailureRun> failures,
      AtomicBoolean uncertain,
      long slotsFromNanos)
      implements ConnectionState {
    Up(RedisConnection link, String epoch, String previousEpoch, long slotsFromNanos) {
      this(
          link,
          epoch,
          previousEpoch,
          new AtomicReference<>(FailureRun.NONE),
          new AtomicBoolean(),
          slotsFromNanos);
    }

    /** True while other nodes may not have restated their slots. */
    boolean inRestateGrace() {
      return slotsFromNanos - link.nowNanos() > 0;
    }
  }

  /** Redis is not called. */
  record Down(String reason) implements ConnectionState {}
}
