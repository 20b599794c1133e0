package dev.tollgate.server.redis;

import java.util.List;

/** Result of a script call to Redis. */
sealed interface RedisReply {
  /** Redis executed the call. */
  record Done(List<Long> values) implements RedisReply {}

  /** The script is not loaded: nothing was executed. */
  record UnknownScript() implements RedisReply {}

  /**
   * The call failed; whether it was executed is unknown.
   *
   * @param sentNanos when the call was sent, by the event loop's clock
   */
  record Failed(RedisFailure why, String reason, long sentNanos) implements RedisReply {}
}
