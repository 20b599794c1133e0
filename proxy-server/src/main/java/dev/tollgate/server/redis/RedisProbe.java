package dev.tollgate.server.redis;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Result of probing whether a Redis server can be used for rate limits; the probe changes nothing
 * there.
 */
public sealed interface RedisProbe {
  int SECONDS_MAX = 5;

  /** Redis can be used. */
  record Reachable(String version) implements RedisProbe {}

  /** The server is part of a cluster, which is not supported. */
  record Cluster() implements RedisProbe {}

  /** Redis can be used for limits, but the user may not subscribe to key changes. */
  record SubscribeDenied(String reason) implements RedisProbe {}

  record Unreachable(String reason) implements RedisProbe {}

  /** Connects and probes; blocks for some seconds at most. */
  static RedisProbe run(RedisAddress address) throws InterruptedException {
    try (var client = new RedisConnector(address)) {
      String info =
          client
              .connect(() -> {})
              .thenCompose(connection -> connection.async().info())
              .toCompletableFuture()
              .get(SECONDS_MAX, TimeUnit.SECONDS);
      return info.contains("cluster_enabled:1")
          ? new Cluster()
          : probeSubscribe(client, address, version(info));
    } catch (TimeoutException e) {
      return new Unreachable("it does not answer within " + SECONDS_MAX + " s");
    } catch (ExecutionException | CompletionException e) {
      return new Unreachable(rootCauseMessage(e));
    }
  }

  private static RedisProbe probeSubscribe(
      RedisConnector client, RedisAddress address, String version)
      throws InterruptedException, TimeoutException {
    try {
      client
          .listen(() -> {})
          .thenCompose(
              connection -> connection.async().subscribe(KeyChangeSubscriber.channel(address)))
          .toCompletableFuture()
          .get(SECONDS_MAX, TimeUnit.SECONDS);
      return new Reachable(version);
    } catch (ExecutionException e) {
      return new SubscribeDenied(rootCauseMessage(e));
    }
  }

  private static String version(String info) {
    return info.lines()
        .filter(line -> line.startsWith("redis_version:"))
        .map(line -> line.substring(line.indexOf(':') + 1))
        .findFirst()
        .orElse("of an unknown version");
  }

  /** Returns the message of the root cause. */
  static String rootCauseMessage(Throwable failure) {
    return String.valueOf(rootCause(failure).getMessage());
  }

  static Throwable rootCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
