package dev.tollgate.bench;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Base URL of a benchmarked server, as SDKs take it: {@code http://127.0.0.1:8080/v1}. The host is
 * resolved once, so that the checked address is the one that is used.
 */
public record BaseUrl(String text, InetSocketAddress address, String authority, String path) {
  private static final int PORT_DEFAULT = 80;

  /**
   * Parses and resolves a URL.
   *
   * @param remote whether other machines are allowed
   * @throws IllegalArgumentException with the reason
   */
  public static BaseUrl of(String text, boolean remote) {
    URI uri = URI.create(text);
    if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a URL such as http://127.0.0.1:8080/v1 (plain HTTP only)");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getUserInfo() != null) {
      throw new IllegalArgumentException("'" + text + "' has more than host, port and path");
    }
    List<InetAddress> addresses = resolved(uri.getHost());
    if (!remote && !addresses.stream().allMatch(InetAddress::isLoopbackAddress)) {
      throw new IllegalArgumentException(
          "'" + text + "' is not on this machine: load on other machines needs --remote");
    }
    int port = uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort();
    return new BaseUrl(
        text,
        new InetSocketAddress(addresses.getFirst(), port),
        uri.getRawAuthority(),
        path(uri.getRawPath()));
  }

  private static String path(String given) {
    String path = given.endsWith("/") ? given.substring(0, given.length() - 1) : given;
    return path.isEmpty() ? "/v1" : path;
  }

  private static List<InetAddress> resolved(String host) {
    try {
      return Arrays.asList(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + host + "' is an unknown host", e);
    }
  }
}
