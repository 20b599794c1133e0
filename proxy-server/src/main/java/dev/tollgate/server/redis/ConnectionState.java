package dev.tollgate.server.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether Redis can be asked. */
sealed interface ConnectionState {
  /**
   * It answers. Members are counted under the epoch; with another epoch all that was uncertain
   * about the one before is gone.
   *
   * @param previousEpoch the epoch in which those are counted that run since then and were not
   *     restated yet
   * @param failures in a row
   * @param uncertain whether an end may have been lost
   * @param settling whether other nodes may not have said yet which slots they have
   */
  record Up(
      RedisConnection link,
      String epoch,
      String previousEpoch,
      AtomicInteger failures,
      AtomicBoolean uncertain,
      AtomicBoolean settling)
      implements ConnectionState {
    Up(RedisConnection link, String epoch, String previousEpoch, AtomicBoolean settling) {
      this(link, epoch, previousEpoch, new AtomicInteger(), new AtomicBoolean(), settling);
    }
  }

  /** It is not asked. */
  record Down(String reason) implements ConnectionState {}
}
