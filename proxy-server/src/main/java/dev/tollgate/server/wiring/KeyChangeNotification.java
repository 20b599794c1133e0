package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.KeyChangePublisher;
import dev.tollgate.server.redis.KeyChangePublisher.PublishResult;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.settings.RedisSettings;
import java.util.Optional;

/**
 * Publisher of a Redis message that lets running gateways see changed keys or organizations before
 * their next poll. It connects before the change; without Redis it does nothing.
 */
public final class KeyChangeNotification implements AutoCloseable {
  private final Optional<KeyChangePublisher> publisher;

  private KeyChangeNotification(Optional<KeyChangePublisher> publisher) {
    this.publisher = publisher;
  }

  /**
   * Starts to connect to the configured Redis.
   *
   * @throws IllegalArgumentException if the address is invalid
   */
  public static KeyChangeNotification open(RedisSettings settings) {
    Secret url = settings.url();
    return new KeyChangeNotification(
        url == null ? Optional.empty() : Optional.of(connect(RedisAddress.parse(url))));
  }

  /** Apart from the rest, so that the client of Redis is not loaded without one. */
  private static KeyChangePublisher connect(RedisAddress address) {
    return KeyChangePublisher.connect(address);
  }

  /** True if Redis is configured. */
  public boolean isEnabled() {
    return publisher.isPresent();
  }

  /** Publishes the change; returns the reason if that failed, which is harmless. */
  public Optional<String> publish() {
    return publisher.flatMap(
        each ->
            switch (each.publish()) {
              case PublishResult.Done _ -> Optional.empty();
              case PublishResult.Failed failed -> Optional.of(failed.reason());
            });
  }

  @Override
  public void close() {
    if (publisher.isPresent()) {
      publisher.get().close();
    }
  }
}
