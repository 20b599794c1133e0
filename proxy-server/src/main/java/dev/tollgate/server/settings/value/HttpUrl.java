package dev.tollgate.server.settings.value;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parsed http or https URL without user, query or fragment.
 *
 * @param host lower case; an IPv6 address without brackets
 * @param path without a trailing slash; may be empty
 */
public record HttpUrl(boolean tls, String host, int port, String path) {

  public static Optional<HttpUrl> parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
    boolean tls = "https".equalsIgnoreCase(uri.getScheme());
    @Nullable String host = uri.getHost();
    if (!(tls || "http".equalsIgnoreCase(uri.getScheme()))
        || host == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null
        || uri.getPort() > 65535
        || uri.getPort() == 0) {
      return Optional.empty();
    }
    int port = uri.getPort() > 0 ? uri.getPort() : tls ? 443 : 80;
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
    return Optional.of(new HttpUrl(tls, bare.toLowerCase(Locale.ROOT), port, path));
  }

  /** Returns the root of {@code host} at the port of https. */
  public static HttpUrl https(String host) {
    return new HttpUrl(true, host, 443, "");
  }

  @Override
  public String toString() {
    String authority = host.contains(":") ? "[" + host + "]" : host;
    boolean isDefaultPort = port == (tls ? 443 : 80);
    return (tls ? "https://" : "http://") + authority + (isDefaultPort ? "" : ":" + port) + path;
  }
}
