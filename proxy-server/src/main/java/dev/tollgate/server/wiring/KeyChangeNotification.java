package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.KeyChangePublisher;
import dev.tollgate.server.redis.KeyChangePublisher.PublishResult;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.settings.RedisSettings;
import java.util.Optional;

/**
 * Tells running gateways that keys or organizations changed, so that none waits for its poll. To be
 * begun before the change; without a Redis there is nobody to tell.
 */
public final class KeyChangeNotification implements AutoCloseable {
  private final Optional<KeyChangePublisher> publisher;

  private KeyChangeNotification(Optional<KeyChangePublisher> publisher) {
    this.publisher = publisher;
  }

  /**
   * Begins to connect to where gateways listen.
   *
   * @throws IllegalArgumentException if the address is none
   */
  public static KeyChangeNotification open(RedisSettings settings) {
    Secret url = settings.url();
    return new KeyChangeNotification(
        Optional.ofNullable(url).map(RedisAddress::parse).map(KeyChangePublisher::connect));
  }

  /** Whether anybody may listen. */
  public boolean isEnabled() {
    return publisher.isPresent();
  }

  /** Tells them; what is returned went wrong, and does no harm. */
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
    publisher.ifPresent(KeyChangePublisher::close);
  }
}
