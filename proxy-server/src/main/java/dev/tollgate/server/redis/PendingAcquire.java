package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.server.redis.ConnectionState.Up;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Pending acquisition of a rate limit permit in Redis, completed exactly once: by Redis or by its
 * timeout. After a timeout the outcome is unknown, so an undo follows on the same connection, after
 * the call, or on the next connection.
 */
final class PendingAcquire {
  private final Acquire acquire;
  private final Up up;
  private final long sentNanos;
  private final Executor loop;
  private final Consumer<AcquireResult> answer;
  private final SharedCounters counters;
  private boolean finished;

  PendingAcquire(
      Acquire acquire,
      Up up,
      long sentNanos,
      Executor loop,
      Consumer<AcquireResult> answer,
      SharedCounters counters) {
    this.acquire = acquire;
    this.up = up;
    this.sentNanos = sentNanos;
    this.loop = loop;
    this.answer = answer;
    this.counters = counters;
  }

  long sentNanos() {
    return sentNanos;
  }

  synchronized boolean isFinished() {
    return finished;
  }

  void send() {
    up.link().call(ScriptCall.acquire(acquire, up.epoch()), this::answered);
  }

  /** Ends the acquisition at its timeout. */
  synchronized void expire() {
    if (!finished) {
      // Under the lock: otherwise a resend of the call by its text could follow the undo.
      counters.undo(acquire, up);
      unavailable(RedisFailure.TIMEOUT, "Redis does not answer in time");
    }
  }

  private synchronized void answered(RedisReply reply) {
    if (finished) {
      return;
    }
    switch (reply) {
      case RedisReply.Done done -> completed(ScriptCall.result(done.values()));
      case RedisReply.UnknownScript _ ->
          up.link().eval(ScriptCall.acquire(acquire, up.epoch()), this::answered);
      case RedisReply.Failed failed -> {
        unavailable(failed.why(), failed.reason());
        if (failed.why() == RedisFailure.DISCONNECTED) { // Redis may have executed it
          counters.undoLater(acquire, up);
        }
      }
    }
  }

  private void completed(AcquireResult result) {
    finished = true;
    counters.answered(up, sentNanos);
    if (result instanceof AcquireResult.AllAcquired) {
      counters.acquired(acquire, up);
    }
    deliver(result);
  }

  private void unavailable(RedisFailure why, String reason) {
    finished = true;
    counters.failed(up, why, reason);
    deliver(new AcquireResult.Unavailable(reason));
  }

  private void deliver(AcquireResult result) {
    try {
      loop.execute(() -> answer.accept(result));
    } catch (RejectedExecutionException e) {
      counters.end(acquire, 0); // the loop has ended, and the request with it
    }
  }
}
