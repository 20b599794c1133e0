package dev.tollgate.server.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connection to Redis for script calls, which are answered in their order. The connection is not
 * reopened and no call is repeated, so that each call is executed at most once. Calls are made on
 * any thread, and written and answered on the connection's event loop; never blocks.
 */
final class RedisConnection {
  /** Bound of calls that wait for an answer; further ones fail at once. */
  static final int CALLS_MAX = 4_096;

  private final StatefulRedisConnection<String, String> connection;
  private final RedisAsyncCommands<String, String> commands;
  private final EventExecutor loop;
  private final CallTimeouts timeouts;
  private final AtomicInteger calls;

  /**
   * @param loop event loop of the connection
   * @param timeout longest wait for the answer of a call that is made in time
   * @param calls number of calls that wait for answers, over all connections of the node
   */
  RedisConnection(
      StatefulRedisConnection<String, String> connection,
      EventExecutor loop,
      Duration timeout,
      AtomicInteger calls) {
    this.connection = connection;
    this.commands = connection.async();
    this.loop = loop;
    this.timeouts = new CallTimeouts(loop, timeout);
    this.calls = calls;
  }

  /** Loads the scripts, before any later call. */
  void loadScripts() {
    for (RedisScript script : RedisScript.values()) {
      dispatch(() -> commands.scriptLoad(script.text()), _ -> {});
    }
  }

  /**
   * Calls a script, loaded or not, with an answer or a timeout. Redis may execute a call after its
   * timeout, but not one that is made later on this connection before it.
   */
  void callInTime(ScriptCall call, Consumer<RedisReply> whenDone) {
    var timed = new TimedCall(whenDone);
    dispatch(
        () -> {
          CompletionStage<?> answer = evalsha(call);
          timeouts.watch(timed); // from here on, because the loop may have been late to write it
          return answer;
        },
        reply -> {
          if (reply instanceof RedisReply.UnknownScript && !timed.isDone()) {
            dispatch(() -> eval(call), timed::answered);
          } else {
            timed.answered(reply);
          }
        });
  }

  /** Calls a script, loaded or not, without a timeout: for calls that may be reordered. */
  void callOrEval(ScriptCall call, Consumer<RedisReply> whenDone) {
    dispatch(
        () -> evalsha(call),
        reply -> {
          switch (reply) {
            case RedisReply.UnknownScript _ -> dispatch(() -> eval(call), whenDone);
            case RedisReply.Done _, RedisReply.Failed _ -> whenDone.accept(reply);
          }
        });
  }

  private RedisFuture<?> evalsha(ScriptCall call) {
    return commands.evalsha(
        call.script().digest(), ScriptOutputType.MULTI, keys(call), arguments(call));
  }

  private RedisFuture<?> eval(ScriptCall call) {
    return commands.eval(call.script().text(), ScriptOutputType.MULTI, keys(call), arguments(call));
  }

  /** Deletes an epoch's members, and with them their slots. */
  void dropEpoch(String epoch) {
    dispatch(() -> commands.unlink(ScriptCall.members(epoch)), _ -> {});
  }

  /**
   * Asks whether this server is part of a cluster, with an answer, 0 or 1, or a timeout. A server
   * that does not tell this user refuses the question.
   */
  void askIfClusterInTime(Consumer<RedisReply> whenDone) {
    var timed = new TimedCall(whenDone);
    dispatch(
        () -> {
          CompletionStage<?> answer =
              commands
                  .info("cluster")
                  .thenApply(info -> List.of(info.contains("cluster_enabled:1") ? 1L : 0L));
          timeouts.watch(timed);
          return answer;
        },
        timed::answered);
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  void close() {
    var _ = connection.closeAsync();
  }

  /** Returns the time of the event loop's clock. */
  long nowNanos() {
    return loop.ticker().nanoTime();
  }

  private interface Command {
    CompletionStage<?> send();
  }

  private void dispatch(Command command, Consumer<RedisReply> whenDone) {
    if (calls.incrementAndGet() > CALLS_MAX) {
      calls.decrementAndGet();
      String reason = "too many calls wait for Redis";
      whenDone.accept(new RedisReply.Failed(RedisFailure.QUEUE_FULL, reason, nowNanos()));
      return;
    }
    if (loop.inEventLoop()) {
      send(command, whenDone);
      return;
    }
    try {
      loop.execute(() -> send(command, whenDone));
    } catch (RejectedExecutionException e) { // the node is shutting down
      calls.decrementAndGet();
      whenDone.accept(failed(e, nowNanos()));
    }
  }

  private void send(Command command, Consumer<RedisReply> whenDone) {
    long sentNanos = nowNanos();
    CompletionStage<?> answer;
    try {
      answer = command.send();
    } catch (RedisException e) {
      calls.decrementAndGet();
      whenDone.accept(failed(e, sentNanos));
      return;
    }
    var _ =
        answer.whenComplete(
            (value, failure) -> {
              calls.decrementAndGet();
              whenDone.accept(
                  failure == null
                      ? new RedisReply.Done(numbers(value))
                      : failed(failure, sentNanos));
            });
  }

  private static String[] keys(ScriptCall call) {
    return call.keys().toArray(String[]::new);
  }

  private static String[] arguments(ScriptCall call) {
    return call.arguments().toArray(String[]::new);
  }

  private static List<Long> numbers(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(Long.class::cast).toList() : List.of();
  }

  private static RedisReply failed(Throwable failure, long sentNanos) {
    return switch (failure) {
      case CompletionException wrapped when wrapped.getCause() != null ->
          failed(wrapped.getCause(), sentNanos);
      case RedisNoScriptException _ -> new RedisReply.UnknownScript();
      case RedisCommandExecutionException refused ->
          new RedisReply.Failed(
              RedisFailure.REFUSED, "Redis error: " + refused.getMessage(), sentNanos);
      default ->
          new RedisReply.Failed(
              RedisFailure.DISCONNECTED,
              "the connection to Redis is closed: " + RedisProbe.rootCauseMessage(failure),
              sentNanos);
    };
  }
}
