package dev.tollgate.server.wiring;

import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.value.BindAddress;
import java.net.InetSocketAddress;

/**
 * Base URL in links to this gateway: as configured, else the address of the API listener. Headers
 * of requests are ignored, because a URL of the gateway must not lead where a client chooses.
 */
final class GatewayBaseUrl {
  private GatewayBaseUrl() {}

  static String of(ListenerSettings.Api api, InetSocketAddress listening) {
    if (api.baseUrl() != null) {
      return api.baseUrl().toString();
    }
    String host = api.address().host();
    var reachable =
        new BindAddress(api.address().isWildcard() ? "127.0.0.1" : host, listening.getPort());
    return (api.tls() == null ? "http://" : "https://") + reachable;
  }
}
