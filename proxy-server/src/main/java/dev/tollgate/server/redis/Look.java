package dev.tollgate.server.redis;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A look whether limits can be kept in a Redis, as a start would find out; it changes nothing. */
public sealed interface Look {
  int SECONDS_MAX = 5;

  /** They can. */
  record Answers(String version) implements Look {}

  /** It is a part of a cluster, which holds a part of the keys. */
  record Cluster() implements Look {}

  /** They can, but who looks may not hear of changed keys there. */
  record Deaf(String reason) implements Look {}

  record NotReached(String reason) implements Look {}

  /** Connects and asks; blocks for some seconds at most. */
  static Look at(Address address) throws InterruptedException {
    try (var client = new Client(address)) {
      String info =
          client
              .connect(() -> {})
              .thenCompose(connection -> connection.async().info())
              .toCompletableFuture()
              .get(SECONDS_MAX, TimeUnit.SECONDS);
      return info.contains("cluster_enabled:1")
          ? new Cluster()
          : hearing(client, address, version(info));
    } catch (TimeoutException e) {
      return new NotReached("it does not answer within " + SECONDS_MAX + " s");
    } catch (ExecutionException | CompletionException e) {
      return new NotReached(deepest(e));
    }
  }

  private static Look hearing(Client client, Address address, String version)
      throws InterruptedException, TimeoutException {
    try {
      client
          .listen(() -> {})
          .thenCompose(connection -> connection.async().subscribe(KeyNews.channel(address)))
          .toCompletableFuture()
          .get(SECONDS_MAX, TimeUnit.SECONDS);
      return new Answers(version);
    } catch (ExecutionException e) {
      return new Deaf(deepest(e));
    }
  }

  private static String version(String info) {
    return info.lines()
        .filter(line -> line.startsWith("redis_version:"))
        .map(line -> line.substring(line.indexOf(':') + 1))
        .findFirst()
        .orElse("of an unknown version");
  }

  /** What was the matter at last. */
  static String deepest(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }
}
