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
 * Subscriber to Redis notifications that API keys or organizations changed. A notification does not
 * contain what changed: the subscriber polls the store, so nothing depends on the content of
 * messages or on their arrival. It uses a connection of its own; everything except the callbacks
 * runs on the clock's thread.
 */
final class KeyChangeSubscriber {
  private static final Logger LOG = LoggerFactory.getLogger(KeyChangeSubscriber.class);
  private static final Duration RECONNECT = Duration.ofSeconds(1);

  private final RedisConnector client;
  private final EventExecutor clock;
  private final String channel;
  private final Runnable onChange;
  private boolean refusalLogged;
  private volatile boolean closed;

  /**
   * @param onChange called at each change, and after each subscription; must not block
   */
  KeyChangeSubscriber(
      RedisConnector client, EventExecutor clock, RedisAddress address, Runnable onChange) {
    this.client = client;
    this.clock = clock;
    this.channel = channel(address);
    this.onChange = onChange;
  }

  /** Returns the channel's name, which contains the database, because Pub/Sub ignores databases. */
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
            onChange.run(); // a message may have been missed before
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

  /**
   * Handles a refused subscription, for example without the permission for the channel: keys are
   * polled, and the subscription is retried.
   */
  private void refused(
      StatefulRedisPubSubConnection<String, String> connection, Throwable failure) {
    if (!refusalLogged && !closed && failure instanceof RedisCommandExecutionException) {
      refusalLogged = true;
      LOG.warn(
          "keys: Redis denies the subscription to key changes, falling back to polling: {}",
          failure.getMessage());
    }
    var _ = connection.closeAsync(); // reconnects, as after every disconnect
  }

  private void reconnectLater() {
    if (!closed) {
      clock.schedule(this::connect, RECONNECT.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
