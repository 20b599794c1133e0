package dev.tollgate.server.ops;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.net.IpAddresses;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Rules of who may use the admin listener: callers with the token, or, where none is configured,
 * callers that name it as this machine does.
 *
 * @param token null if none is required
 * @param host the configured host of the listener's address
 */
record AdminAccess(@Nullable Secret token, String host) {
  private static final String BEARER = "Bearer ";

  /**
   * True unless the request may come from a web page whose name was made to resolve to this
   * listener's address. A page knows no token, and a browser sends the page's own name.
   */
  boolean isHostAccepted(HttpHeaders headers) {
    return token != null
        || headers.getAll(HttpHeaderNames.HOST).stream()
            .map(AdminAccess::name)
            .allMatch(this::isOurs);
  }

  private boolean isOurs(String name) {
    return name.equalsIgnoreCase("localhost")
        || name.equalsIgnoreCase(host)
        || IpAddresses.parse(name) != null;
  }

  /** Returns a Host header's value without its port. */
  private static String name(String value) {
    if (value.startsWith("[")) {
      int end = value.indexOf(']');
      return end < 0 ? value : value.substring(1, end);
    }
    int colon = value.indexOf(':');
    return colon < 0 ? value : value.substring(0, colon);
  }

  boolean isTokenAccepted(AdminRoute route, HttpHeaders headers) {
    if (route.access() == AdminRoute.Access.OPEN || token == null) {
      return true;
    }
    String header = headers.get(HttpHeaderNames.AUTHORIZATION, "");
    String presented = header.startsWith(BEARER) ? header.substring(BEARER.length()) : "";
    return MessageDigest.isEqual(
        presented.getBytes(StandardCharsets.UTF_8),
        token.reveal().getBytes(StandardCharsets.UTF_8));
  }

  /** True if a page makes a browser post: any page that an operator opens could do so. */
  static boolean isFromPage(AdminRoute route, HttpHeaders headers) {
    return route.method().equals("POST") && headers.contains(HttpHeaderNames.ORIGIN);
  }
}
