package dev.tollgate.server.settings.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.core.catalog.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * URL of an HTTP proxy, such as {@code http://user:password@proxy:3128}, whose {@code toString} has
 * no password.
 */
public record ProxyUrl(HttpProxy proxy) {
  /** Returns the URL; https, a path and a missing port are refused. */
  public static Optional<ProxyUrl> parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
    @Nullable String host = uri.getHost();
    boolean bare =
        (uri.getRawPath() == null || uri.getRawPath().matches("/?"))
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null;
    boolean hasPort = uri.getPort() > 0 && uri.getPort() <= 65535;
    if (!"http".equalsIgnoreCase(uri.getScheme()) || host == null || !bare || !hasPort) {
      return Optional.empty();
    }
    String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return authorization(uri.getRawUserInfo())
        .map(
            basic ->
                new ProxyUrl(
                    new HttpProxy(
                        name.toLowerCase(Locale.ROOT),
                        uri.getPort(),
                        basic.isEmpty() ? null : new Secret(basic))));
  }

  /** Returns the value of the field, empty without user; absent if the user is malformed. */
  private static Optional<String> authorization(@Nullable String userInfo) {
    if (userInfo == null) {
      return Optional.of("");
    }
    int colon = userInfo.indexOf(':');
    if (colon <= 0) {
      return Optional.empty();
    }
    try {
      String pair =
          decoded(userInfo.substring(0, colon)) + ":" + decoded(userInfo.substring(colon + 1));
      return Optional.of("Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String decoded(String percentEncoded) {
    return URLDecoder.decode(percentEncoded.replace("+", "%2B"), UTF_8);
  }

  @Override
  public String toString() {
    return "http://" + (proxy.authorization() == null ? "" : "***@") + proxy;
  }
}
