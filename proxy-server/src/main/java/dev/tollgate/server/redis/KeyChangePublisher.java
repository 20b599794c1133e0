package dev.tollgate.server.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Publisher of notifications to all nodes, through Redis, that API keys or organizations changed.
 * It connects while the change is being made, so that the notification follows at once.
 */
public final class KeyChangePublisher implements AutoCloseable {
  private final RedisAddress address;
  private final RedisConnector client;
  private final CompletionStage<StatefulRedisConnection<String, String>> connection;

  private KeyChangePublisher(RedisAddress address) {
    this.address = address;
    this.client = new RedisConnector(address);
    this.connection = client.connect(() -> {});
  }

  /** Returns a publisher that begins to connect. */
  public static KeyChangePublisher connect(RedisAddress address) {
    return new KeyChangePublisher(address);
  }

  /** Result of publishing a notification. */
  public sealed interface PublishResult {
    /** The notification was sent to all subscribers. */
    record Done() implements PublishResult {}

    /** The notification was not sent; nodes detect the change by polling. */
    record Failed(String reason) implements PublishResult {}
  }

  /** Publishes a notification. Blocks for two seconds at most. */
  public PublishResult publish() {
    try {
      var commands = connection.toCompletableFuture().join().sync();
      commands.publish(KeyChangeSubscriber.channel(address), "changed");
      return new PublishResult.Done();
    } catch (RedisCommandExecutionException e) {
      return new PublishResult.Failed("Redis error: " + e.getMessage());
    } catch (RedisException | CompletionException e) {
      return new PublishResult.Failed("Redis is not reached: " + address);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
