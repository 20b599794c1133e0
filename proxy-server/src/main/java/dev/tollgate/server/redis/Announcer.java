package dev.tollgate.server.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Tells all nodes that keys or organizations changed. It connects while the change is being made,
 * so that it is told as soon as it is.
 */
public final class Announcer implements AutoCloseable {
  private final Address address;
  private final Client client;
  private final CompletionStage<StatefulRedisConnection<String, String>> connection;

  private Announcer(Address address) {
    this.address = address;
    this.client = new Client(address);
    this.connection = client.connect(() -> {});
  }

  /** Begins to connect. */
  public static Announcer begin(Address address) {
    return new Announcer(address);
  }

  /** What came of telling them. */
  public sealed interface Announced {
    /** Those that listen know it. */
    record Done() implements Announced {}

    /** They will find out by themselves, later. */
    record Failed(String reason) implements Announced {}
  }

  /** Says that something changed. Blocks, for a second or two at most. */
  public Announced changed() {
    try {
      var commands = connection.toCompletableFuture().join().sync();
      commands.publish(KeyNews.channel(address), "changed");
      return new Announced.Done();
    } catch (RedisCommandExecutionException e) {
      return new Announced.Failed("Redis says: " + e.getMessage());
    } catch (RedisException | CompletionException e) {
      return new Announced.Failed("Redis is not reached: " + address);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
