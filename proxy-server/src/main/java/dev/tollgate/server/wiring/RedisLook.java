package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.Address;
import dev.tollgate.server.redis.Look;

/** Whether the Redis that a configuration names can keep limits, for who has not started yet. */
public sealed interface RedisLook {
  /** Where it is, without what is secret. */
  String where();

  record Good(String where, String how) implements RedisLook {}

  record Bad(String where, String why) implements RedisLook {}

  /** Connects and asks; blocks for some seconds at most. */
  static RedisLook at(Secret url) throws InterruptedException {
    Address address;
    try {
      address = Address.parse(url);
    } catch (IllegalArgumentException e) {
      return new Bad("url", String.valueOf(e.getMessage()));
    }
    String where = address.toString();
    return switch (Look.at(address)) {
      case Look.Answers answers -> new Good(where, "connected, Redis " + answers.version());
      case Look.Cluster _ -> new Bad(where, "is a Redis Cluster, which limits cannot be kept in");
      case Look.Deaf deaf ->
          new Bad(where, "does not let this user hear of changed keys: " + deaf.reason());
      case Look.NotReached gone -> new Bad(where, "cannot connect: " + gone.reason());
    };
  }
}
