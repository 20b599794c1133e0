package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.redis.RedisProbe;

/** Whether the Redis that a configuration names can keep limits, for who has not started yet. */
public sealed interface RedisConnectionProbe {
  /** Where it is, without what is secret. */
  String where();

  record Passed(String where, String detail) implements RedisConnectionProbe {}

  record Failed(String where, String reason) implements RedisConnectionProbe {}

  /** Connects and asks; blocks for some seconds at most. */
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
          new Failed(where, "is a Redis Cluster, which limits cannot be kept in");
      case RedisProbe.SubscribeDenied deaf ->
          new Failed(where, "does not let this user hear of changed keys: " + deaf.reason());
      case RedisProbe.Unreachable unreached ->
          new Failed(where, "cannot connect: " + unreached.reason());
    };
  }
}
