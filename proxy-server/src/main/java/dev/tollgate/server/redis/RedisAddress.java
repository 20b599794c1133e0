package dev.tollgate.server.redis;

import dev.tollgate.core.catalog.Secret;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.stream.Collectors;

/** Address of the Redis server: one server, or the master that sentinels name. */
public final class RedisAddress {
  /** Timeout of connecting, authentication and queries of sentinels. */
  static final Duration CONNECT = Duration.ofSeconds(1);

  /**
   * Timeout of authentication for a node, which may itself be too busy to be quick. A server that
   * is gone is noticed before, when connecting.
   */
  private static final Duration NODE_AUTHENTICATION = Duration.ofSeconds(5);

  private final Secret url;
  private final RedisURI uri;

  private RedisAddress(Secret url, RedisURI uri) {
    this.url = url;
    this.uri = uri;
  }

  /**
   * Reads {@code redis://[user:password@]host[:port][/database]}, {@code rediss://…} with TLS, or
   * {@code redis-sentinel://[user:password@]host[:port][,host[:port]…][/database]#master}.
   *
   * @throws IllegalArgumentException if the URL is invalid; the message does not contain it
   */
  public static RedisAddress parse(Secret url) {
    try {
      return with(url, CONNECT);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException( // without its cause, which quotes the password
          "is not redis://host:port, rediss://host:port or redis-sentinel://host:port#master");
    }
  }

  private static RedisAddress with(Secret url, Duration authentication) {
    RedisURI uri = RedisURI.create(url.reveal());
    uri.setTimeout(authentication);
    uri.getSentinels().forEach(sentinel -> sentinel.setTimeout(CONNECT));
    return new RedisAddress(url, uri);
  }

  /** Returns the address for a node, which has more time than a command. */
  RedisAddress ofNode() {
    return with(url, NODE_AUTHENTICATION);
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
