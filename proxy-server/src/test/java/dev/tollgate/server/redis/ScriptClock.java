package dev.tollgate.server.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;

/**
 * Clock of the scripts that tests set: runs the scripts unchanged otherwise, and keeps buckets from
 * expiring by Redis' own clock.
 */
final class ScriptClock {
  private static final String TIME = "redis.call('TIME')";
  private static final String STORED = "redis.call('HMGET', 'clock', 's', 'u')";

  private static final String EXPIRING = ", 'PX', string.format('%.0f', millis))";

  private final RedisCommands<String, String> redis;

  ScriptClock(RedisCommands<String, String> redis) {
    this.redis = redis;
  }

  void set(long micros) {
    redis.hset("clock", Map.of("s", "" + micros / 1_000_000, "u", "" + micros % 1_000_000));
  }

  List<Long> run(ScriptCall call) {
    String text = call.script().text();
    if (!text.contains(TIME) || !text.contains(EXPIRING)) {
      throw new AssertionError(call.script() + " reads the time or stores in another way");
    }
    return redis.eval(
        text.replace(TIME, STORED).replace(EXPIRING, ")"),
        ScriptOutputType.MULTI,
        call.keys().toArray(String[]::new),
        call.arguments().toArray(String[]::new));
  }
}
