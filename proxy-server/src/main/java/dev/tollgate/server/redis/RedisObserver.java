package dev.tollgate.server.redis;

/** Who counts what is asked of Redis. For any thread. */
public interface RedisObserver {
  /** A request's draw was answered, so long after it was asked. */
  void answered(long nanos);

  /** A call got no answer. */
  void failed(RedisFailure failure);
}
