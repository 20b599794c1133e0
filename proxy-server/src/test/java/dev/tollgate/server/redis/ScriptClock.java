package dev.tollgate.server.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;

/** Runs the scripts as they are, but for their clock: it is one that tests set. */
final class ScriptClock {
  private static final String TIME = "redis.call('TIME')";
  private static final String STORED = "redis.call('HMGET', 'clock', 's', 'u')";

  private final RedisCommands<String, String> redis;

  ScriptClock(RedisCommands<String, String> redis) {
    this.redis = redis;
  }

  void set(long micros) {
    redis.hset("clock", Map.of("s", "" + micros / 1_000_000, "u", "" + micros % 1_000_000));
  }

  List<Long> run(ScriptCall call) {
    String text = call.script().text();
    if (!text.contains(TIME)) {
      throw new AssertionError(call.script() + " asks for no time");
    }
    return redis.eval(
        text.replace(TIME, STORED),
        ScriptOutputType.MULTI,
        call.keys().toArray(String[]::new),
        call.arguments().toArray(String[]::new));
  }
}
