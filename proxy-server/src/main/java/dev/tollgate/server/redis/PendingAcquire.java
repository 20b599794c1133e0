package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.server.redis.ConnectionState.Up;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Pending acquisition of a rate limit permit in Redis. After a timeout the outcome is unknown, so
 * an undo follows on the same connection, after the call, or on the next connection.
 *
 * @param begunNanos when the request asked for it, by the connection's clock
 * @param loop executor on which the result is delivered
 */
record PendingAcquire(
    Acquire acquire,
    Up up,
    long begunNanos,
    Executor loop,
    Consumer<AcquireResult> answer,
    SharedCounters counters) {

  void send() {
    up.link().callInTime(ScriptCall.acquire(acquire, up.epoch()), this::done);
  }

  void done(RedisReply reply) {
    switch (reply) {
      case RedisReply.Done done -> completed(ScriptCall.result(done.values()));
      case RedisReply.UnknownScript _ ->
          failed(new RedisReply.Failed(RedisFailure.REFUSED, "Redis runs no script", begunNanos));
      case RedisReply.Failed failed -> failed(failed);
    }
  }

  private void completed(AcquireResult result) {
    counters.answered(up, begunNanos);
    if (result instanceof AcquireResult.AllAcquired) {
      counters.acquired(acquire, up);
    }
    deliver(result);
  }

  private void failed(RedisReply.Failed failed) {
    counters.failed(up, failed);
    switch (failed.why()) {
      case TIMEOUT -> counters.undo(acquire, up); // behind the call, on its connection
      case DISCONNECTED -> counters.undoLater(acquire, up); // Redis may have executed it
      case REFUSED, QUEUE_FULL, DOWN, END_DROPPED -> {}
    }
    deliver(new AcquireResult.Unavailable(failed.reason()));
  }

  private void deliver(AcquireResult result) {
    try {
      loop.execute(() -> answer.accept(result));
    } catch (RejectedExecutionException e) {
      counters.end(acquire, 0); // the loop has ended, and the request with it
    }
  }
}
