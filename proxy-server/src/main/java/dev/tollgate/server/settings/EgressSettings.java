package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.HttpProxy;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.CidrBlock;
import dev.tollgate.server.settings.value.NoProxy;
import dev.tollgate.server.settings.value.ProxyChoice;
import dev.tollgate.server.settings.value.ProxyUrl;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code egress}: the network's proxy and authority for outgoing calls. */
public record EgressSettings(
    @Key(
            about =
                "HTTP proxy for calls of providers and of token endpoints, such as"
                    + " http://user:password@proxy:3128; never for URLs that clients supply;"
                    + " null: none")
        @Nullable ProxyUrl proxy,
    @Key(
            about =
                "hosts that are called directly: names, .domains, addresses or blocks; loopback"
                    + " always is")
        List<NoProxy> noProxy,
    @Key(
            about =
                "authorities in PEM that are trusted beside the machine's, for providers, token"
                    + " endpoints and webhooks")
        @Nullable Path ca) {

  /** Returns the proxy for calls of {@code host}; null: it is called directly. */
  public @Nullable HttpProxy proxyFor(String host) {
    return proxy == null || isDirect(host) ? null : proxy.proxy();
  }

  private boolean isDirect(String host) {
    return isLoopback(host) || noProxy.stream().anyMatch(entry -> entry.matches(host));
  }

  /**
   * Returns the proxy for calls of a provider at {@code host}.
   *
   * @param choice null: it is called directly
   */
  @Nullable HttpProxy proxyFor(String host, @Nullable ProxyChoice choice) {
    if (choice == null) {
      return null;
    }
    return choice.own() == null ? proxyFor(host) : choice.own().proxy();
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || (CidrBlock.parse(host).isPresent() && InetAddress.ofLiteral(host).isLoopbackAddress());
  }
}
