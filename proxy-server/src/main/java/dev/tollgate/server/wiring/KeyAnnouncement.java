package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.Address;
import dev.tollgate.server.redis.Announcer;
import dev.tollgate.server.redis.Announcer.Announced;
import dev.tollgate.server.settings.RedisSettings;
import java.util.Optional;

/**
 * Tells running gateways that keys or organizations changed, so that none waits for its poll. To be
 * begun before the change; without a Redis there is nobody to tell.
 */
public final class KeyAnnouncement implements AutoCloseable {
  private final Optional<Announcer> announcer;

  private KeyAnnouncement(Optional<Announcer> announcer) {
    this.announcer = announcer;
  }

  /**
   * Begins to connect to where gateways listen.
   *
   * @throws IllegalArgumentException if the address is none
   */
  public static KeyAnnouncement begin(RedisSettings settings) {
    Secret url = settings.url();
    return new KeyAnnouncement(Optional.ofNullable(url).map(Address::parse).map(Announcer::begin));
  }

  /** Whether anybody may listen. */
  public boolean isWanted() {
    return announcer.isPresent();
  }

  /** Tells them; what is returned went wrong, and does no harm. */
  public Optional<String> make() {
    return announcer.flatMap(
        each ->
            switch (each.changed()) {
              case Announced.Done _ -> Optional.empty();
              case Announced.Failed failed -> Optional.of(failed.reason());
            });
  }

  @Override
  public void close() {
    announcer.ifPresent(Announcer::close);
  }
}
