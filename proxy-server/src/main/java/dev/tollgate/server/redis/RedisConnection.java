package dev.tollgate.server.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connection to Redis for script calls, which are answered in their order. The connection is not
 * reopened and no call is repeated, so that each call is executed at most once. Safe on any thread;
 * never blocks.
 */
final class RedisConnection {
  /** Bound of calls that wait for an answer; further ones fail at once. */
  static final int CALLS_MAX = 4_096;

  private final StatefulRedisConnection<String, String> connection;
  private final RedisAsyncCommands<String, String> commands;
  private final AtomicInteger calls;

  /**
   * @param calls number of calls that wait for answers, over all connections of the node
   */
  RedisConnection(StatefulRedisConnection<String, String> connection, AtomicInteger calls) {
    this.connection = connection;
    this.commands = connection.async();
    this.calls = calls;
  }

  /** Loads the scripts, before any later call. */
  void loadScripts() {
    for (RedisScript script : RedisScript.values()) {
      dispatch(() -> commands.scriptLoad(script.text()), _ -> {});
    }
  }

  /** Calls a script that should be loaded. */
  void call(ScriptCall call, Consumer<RedisReply> whenDone) {
    dispatch(
        () ->
            commands.evalsha(
                call.script().digest(), ScriptOutputType.MULTI, keys(call), arguments(call)),
        whenDone);
  }

  /** Calls a script by its text, after Redis answered that it is not loaded. */
  void eval(ScriptCall call, Consumer<RedisReply> whenDone) {
    dispatch(
        () ->
            commands.eval(
                call.script().text(), ScriptOutputType.MULTI, keys(call), arguments(call)),
        whenDone);
  }

  /** Calls a script, loaded or not: for calls that may be reordered. */
  void callOrEval(ScriptCall call, Consumer<RedisReply> whenDone) {
    call(
        call,
        reply -> {
          switch (reply) {
            case RedisReply.UnknownScript _ -> eval(call, whenDone);
            case RedisReply.Done _, RedisReply.Failed _ -> whenDone.accept(reply);
          }
        });
  }

  /** Deletes an epoch's members, and with them their slots. */
  void dropEpoch(String epoch) {
    dispatch(() -> commands.unlink(ScriptCall.members(epoch)), _ -> {});
  }

  /** Returns whether this server is part of a cluster. */
  CompletionStage<Boolean> isCluster() {
    return commands.info("cluster").thenApply(info -> info.contains("cluster_enabled:1"));
  }

  boolean isOpen() {
    return connection.isOpen();
  }

  void close() {
    var _ = connection.closeAsync();
  }

  private interface Command {
    RedisFuture<?> send();
  }

  private void dispatch(Command command, Consumer<RedisReply> whenDone) {
    if (calls.incrementAndGet() > CALLS_MAX) {
      calls.decrementAndGet();
      whenDone.accept(
          new RedisReply.Failed(RedisFailure.QUEUE_FULL, "too many calls wait for Redis"));
      return;
    }
    RedisFuture<?> future;
    try {
      future = command.send();
    } catch (RedisException e) {
      calls.decrementAndGet();
      whenDone.accept(failed(e));
      return;
    }
    var _ =
        future.whenComplete(
            (value, failure) -> {
              calls.decrementAndGet();
              whenDone.accept(
                  failure == null ? new RedisReply.Done(numbers(value)) : failed(failure));
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

  private static RedisReply failed(Throwable failure) {
    return switch (failure) {
      case RedisNoScriptException _ -> new RedisReply.UnknownScript();
      case RedisCommandExecutionException refused ->
          new RedisReply.Failed(RedisFailure.REFUSED, "Redis error: " + refused.getMessage());
      default ->
          new RedisReply.Failed(
              RedisFailure.DISCONNECTED,
              "the connection to Redis is closed: " + RedisProbe.rootCauseMessage(failure));
    };
  }
}
