package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.redis.RedisProbe;

/** Connection test of the configured Redis for {@code tollgate check}, and its result. */
public sealed interface RedisConnectionProbe {
  /** Returns the address without secrets. */
  String where();

  record Passed(String where, String detail) implements RedisConnectionProbe {}

  record Failed(String where, String reason) implements RedisConnectionProbe {}

  /** Connects and sends a command; blocks for some seconds at most. */
  static RedisConnectionProbe at(Secret url) throws InterruptedException {
    RedisAddress address;
    try {
      address = RedisAddress.parse(url);
    } catch (IllegalArgumentException e) {
      return new Failed("url", String.valueOf(e.getMessage()));
    }
    String where = address.toString();
    return switch (RedisProbe.run(address)) {
      case RedisProbe.Reachable answers ->
          new Passed(where, "connected, Redis " + answers.version());
      case RedisProbe.Cluster _ ->
          new Failed(where, "is a Redis Cluster, which limits do not support");
      case RedisProbe.SubscribeDenied deaf ->
          new Failed(where, "does not let this user subscribe to key changes: " + deaf.reason());
      case RedisProbe.Unreachable unreached ->
          new Failed(where, "cannot connect: " + unreached.reason());
    };
  }
}
