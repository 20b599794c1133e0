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
public final class KeyChangePublisher implements AutoCloseable {
  private final RedisAddress address;
  private final RedisConnector client;
  private final CompletionStage<StatefulRedisConnection<String, String>> connection;

  private KeyChangePublisher(RedisAddress address) {
    this.address = address;
    this.client = new RedisConnector(address);
    this.connection = client.connect(() -> {});
  }

  /** Begins to connect. */
  public static KeyChangePublisher connect(RedisAddress address) {
    return new KeyChangePublisher(address);
  }

  /** What came of telling them. */
  public sealed interface PublishResult {
    /** Those that listen know it. */
    record Done() implements PublishResult {}

    /** They will find out by themselves, later. */
    record Failed(String reason) implements PublishResult {}
  }

  /** Says that something changed. Blocks, for a second or two at most. */
  public PublishResult publish() {
    try {
      var commands = connection.toCompletableFuture().join().sync();
      commands.publish(KeyChangeSubscriber.channel(address), "changed");
      return new PublishResult.Done();
    } catch (RedisCommandExecutionException e) {
      return new PublishResult.Failed("Redis says: " + e.getMessage());
    } catch (RedisException | CompletionException e) {
      return new PublishResult.Failed("Redis is not reached: " + address);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
