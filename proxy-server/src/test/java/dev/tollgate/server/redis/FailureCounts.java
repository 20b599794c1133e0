package dev.tollgate.server.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Redis observer that counts failures. */
final class FailureCounts implements RedisObserver {
  private final Map<RedisFailure, Integer> failures = new ConcurrentHashMap<>();

  @Override
  public void answered(long nanos) {}

  @Override
  public void failed(RedisFailure why) {
    failures.merge(why, 1, Integer::sum);
  }

  int failures(RedisFailure why) {
    return failures.getOrDefault(why, 0);
  }

  @Override
  public String toString() {
    return failures.toString();
  }
}
