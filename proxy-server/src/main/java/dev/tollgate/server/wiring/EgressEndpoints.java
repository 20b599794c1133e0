package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.server.settings.EgressSettings;
import dev.tollgate.server.settings.value.HttpUrl;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints of configured URLs that are no providers', such as those of tokens: by the proxy and
 * with the authorities of {@code egress}, which a reload replaces. Shared by threads.
 */
final class EgressEndpoints {
  private volatile Way way;

  /** The section in use, and the TLS settings that it means. */
  private record Way(EgressSettings egress, @Nullable EndpointTls tls) {}

  EgressEndpoints(EgressSettings egress, @Nullable EndpointTls tls) {
    this.way = new Way(egress, tls);
  }

  /** Puts another section in use. */
  void replace(EgressSettings egress, @Nullable EndpointTls tls) {
    way = new Way(egress, tls);
  }

  EndpointIdentity of(URI uri) {
    Way now = way;
    HttpUrl url = HttpUrl.parse(uri.getScheme() + "://" + uri.getRawAuthority()).orElseThrow();
    return new EndpointIdentity(
        url.tls(),
        url.host(),
        url.port(),
        url.tls() ? now.tls() : null,
        now.egress().proxyFor(url.host()));
  }
}
