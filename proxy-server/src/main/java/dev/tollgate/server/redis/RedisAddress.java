package dev.tollgate.server.redis;

import dev.tollgate.core.catalog.Secret;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.stream.Collectors;

/** Address of the Redis server: one server, or the master that sentinels name. */
public final class RedisAddress {
  /** Timeout of connecting, authentication and queries of sentinels. */
  static final Duration CONNECT = Duration.ofSeconds(1);

  private final RedisURI uri;

  private RedisAddress(RedisURI uri) {
    this.uri = uri;
  }

  /**
   * Reads {@code redis://[user:password@]host[:port][/database]}, {@code rediss://…} with TLS, or
   * {@code redis-sentinel://[user:password@]host[:port][,host[:port]…][/database]#master}.
   *
   * @throws IllegalArgumentException if the URL is invalid; the message does not contain it
   */
  public static RedisAddress parse(Secret url) {
    RedisURI uri;
    try {
      uri = RedisURI.create(url.reveal());
    } catch (RuntimeException e) {
      throw new IllegalArgumentException( // without its cause, which quotes the password
          "is not redis://host:port, rediss://host:port or redis-sentinel://host:port#master");
    }
    uri.setTimeout(CONNECT);
    uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(CONNECT));
    return new RedisAddress(uri);
  }

  RedisURI uri() {
    return uri;
  }

  /**
   * Returns the database's number, which is part of channel names, because Pub/Sub ignores
   * databases.
   */
  int database() {
    return uri.getDatabase();
  }

  /** Returns the address without credentials. */
  @Override
  public String toString() {
    if (uri.getSentinels().isEmpty()) {
      return uri.getHost() + ":" + uri.getPort();
    }
    return uri.getSentinels().stream()
        .map(each -> each.getHost() + ":" + each.getPort())
        .collect(Collectors.joining(",", "sentinels ", "#" + uri.getSentinelMasterId()));
  }
}
