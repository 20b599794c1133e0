package dev.tollgate.server.redis;

/** Observer of calls to Redis, for metrics. It is called on any thread. */
public interface RedisObserver {
  /** An acquisition was answered after {@code nanos}. */
  void answered(long nanos);

  /** A call failed. */
  void failed(RedisFailure failure);
}
