package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.server.redis.ConnectionState.Up;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * One draw on its way through Redis. It is answered once: by Redis, or when its time is over. In
 * the latter case nobody knows what Redis did or will do, so that what it may have taken is given
 * back on the same connection, behind it, or on the next one.
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

  /** Its time is over. */
  synchronized void expire() {
    if (!finished) {
      // Under the lock: in between, the call would be sent again behind its own undoing.
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
        if (failed.why() == RedisFailure.DISCONNECTED) { // perhaps after Redis did it
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
      counters.end(acquire, 0); // the loop is gone, and the request with it
    }
  }
}
