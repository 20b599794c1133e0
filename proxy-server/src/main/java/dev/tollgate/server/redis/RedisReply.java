package dev.tollgate.server.redis;

import java.util.List;

/** What came of a call. */
sealed interface RedisReply {
  /** Redis did it. */
  record Done(List<Long> values) implements RedisReply {}

  /** Redis does not know the script yet, or no longer: nothing was done. */
  record UnknownScript() implements RedisReply {}

  /** Nobody knows, or nothing was done. */
  record Failed(RedisFailure why, String reason) implements RedisReply {}
}
