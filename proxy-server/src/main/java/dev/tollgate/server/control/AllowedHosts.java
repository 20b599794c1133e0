package dev.tollgate.server.control;

import dev.tollgate.core.http.Headers;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import io.netty.util.NetUtil;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names under which browsers may reach the control plane. A page whose own name resolves to this
 * listener's address sends another Host, and is refused (DNS rebinding).
 */
final class AllowedHosts {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1");

  private final BindAddress address;
  private final @Nullable HttpUrl publicUrl;
  private final boolean tls;

  AllowedHosts(BindAddress address, @Nullable HttpUrl publicUrl, boolean tls) {
    this.address = address;
    this.publicUrl = publicUrl;
    this.tls = tls;
  }

  /** True if a Host field names this listener, at any port: port forwarding is common. */
  boolean allows(@Nullable String hostField) {
    String host = hostField == null ? "" : withoutPort(hostField.toLowerCase(Locale.ROOT));
    return (publicUrl != null && host.equals(publicUrl.host()))
        || host.equals("localhost")
        || host.equals(address.host().toLowerCase(Locale.ROOT))
        || (address.isLoopback() && LOOPBACK.contains(host))
        || (address.isWildcard() && isLiteral(host));
  }

  /** True if a page of this origin may send changes: it is the dashboard itself. */
  boolean isOwnOrigin(String origin, Headers headers) {
    if (publicUrl != null) {
      return origin.equalsIgnoreCase(
          new HttpUrl(publicUrl.tls(), publicUrl.host(), publicUrl.port(), "").toString());
    }
    String host = headers.first("host");
    return origin.equalsIgnoreCase((tls ? "https://" : "http://") + host) && allows(host);
  }

  private static boolean isLiteral(String host) {
    return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
  }

  private static String withoutPort(String authority) {
    if (authority.startsWith("[")) {
      int end = authority.indexOf(']');
      return end < 0 ? authority : authority.substring(1, end);
    }
    int colon = authority.lastIndexOf(':');
    return colon < 0 ? authority : authority.substring(0, colon);
  }
}
