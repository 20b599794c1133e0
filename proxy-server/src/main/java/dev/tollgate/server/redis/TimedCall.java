package dev.tollgate.server.redis;

import java.util.function.Consumer;

/**
 * Call to Redis that ends exactly once: by its answer, or at its timeout. Confined to the
 * connection's event loop.
 */
final class TimedCall {
  private final Consumer<RedisReply> whenDone;
  private long sentNanos;
  private boolean done;

  TimedCall(Consumer<RedisReply> whenDone) {
    this.whenDone = whenDone;
  }

  void sent(long nowNanos) {
    sentNanos = nowNanos;
  }

  /** Returns the time at which the call was written to the socket. */
  long sentNanos() {
    return sentNanos;
  }

  boolean isDone() {
    return done;
  }

  /** Ends the call by its answer; one that comes too late is ignored. */
  void answered(RedisReply reply) {
    if (!done) {
      done = true;
      whenDone.accept(reply);
    }
  }

  /** Ends the call at its timeout. */
  void expire() {
    answered(
        new RedisReply.Failed(RedisFailure.TIMEOUT, "Redis does not answer in time", sentNanos));
  }
}
