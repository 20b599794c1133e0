package dev.tollgate.server.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears at once that keys or organizations changed. What changed is not said: whoever hears it asks
 * the store, so that nothing depends on what is published, nor on whether it arrives. Keeps one
 * connection of its own; all but hearing happens on the clock.
 */
final class KeyChangeSubscriber {
  private static final Logger log = LoggerFactory.getLogger(KeyChangeSubscriber.class);
  private static final Duration RECONNECT = Duration.ofSeconds(1);

  private final RedisConnector client;
  private final EventExecutor clock;
  private final String channel;
  private final Runnable onChange;
  private boolean refusalLogged;
  private volatile boolean closed;

  /**
   * @param onChange must not block
   */
  KeyChangeSubscriber(
      RedisConnector client, EventExecutor clock, RedisAddress address, Runnable onChange) {
    this.client = client;
    this.clock = clock;
    this.channel = channel(address);
    this.onChange = onChange;
  }

  /** Databases of one Redis share their channels, so the name has the database in it. */
  static String channel(RedisAddress address) {
    return "tollgate:keys:" + address.database();
  }

  void start() {
    clock.execute(this::connect);
  }

  void close() {
    closed = true;
  }

  private void connect() {
    if (closed) {
      return;
    }
    client
        .listen(this::reconnectLater)
        .whenCompleteAsync(
            (connection, failure) -> {
              if (failure == null) {
                subscribe(connection);
              } else {
                reconnectLater();
              }
            },
            clock);
  }

  private void subscribe(StatefulRedisPubSubConnection<String, String> connection) {
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void subscribed(String channel, long count) {
            onChange.run(); // something may have been said before
          }

          @Override
          public void message(String channel, @Nullable String message) {
            onChange.run();
          }
        });
    var _ =
        connection
            .async()
            .subscribe(channel)
            .whenCompleteAsync(
                (_, failure) -> {
                  if (failure == null) {
                    refusalLogged = false;
                  } else {
                    refused(connection, failure);
                  }
                },
                clock);
  }

  /** As where its user may not use the channel: keys are polled, and it is asked again. */
  private void refused(
      StatefulRedisPubSubConnection<String, String> connection, Throwable failure) {
    if (!refusalLogged && !closed && failure instanceof RedisCommandExecutionException) {
      refusalLogged = true;
      log.warn(
          "keys: Redis does not let this node hear of changes, which it now finds by its polls: {}",
          failure.getMessage());
    }
    var _ = connection.closeAsync(); // and begins again, as after every end
  }

  private void reconnectLater() {
    if (!closed) {
      clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
