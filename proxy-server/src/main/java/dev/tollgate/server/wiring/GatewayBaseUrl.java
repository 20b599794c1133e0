package dev.tollgate.server.wiring;

import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.value.BindAddress;
import java.net.InetSocketAddress;

/**
 * Where clients reach the API, without a path: as configured, else where it listens. What a request
 * says of it counts for nothing: a URL of ours must not lead where a stranger's header points.
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
