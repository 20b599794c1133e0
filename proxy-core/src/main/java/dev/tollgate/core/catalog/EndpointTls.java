package dev.tollgate.core.catalog;

import io.netty.handler.ssl.SslContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * TLS settings of an upstream endpoint: its authorities, a client certificate, and the name that is
 * verified. Equal if the content of all files is equal. The context ends with the last catalog that
 * names it, when it is collected: requests may connect for as long as they hold their catalog.
 */
public final class EndpointTls {
  private final String fingerprint;
  private final @Nullable String serverName;
  private final SslContext context;

  /**
   * @param fingerprint hash of the content of all files
   * @param serverName name to request and to verify; null: the host of the endpoint
   */
  public EndpointTls(String fingerprint, @Nullable String serverName, SslContext context) {
    this.fingerprint = fingerprint;
    this.serverName = serverName;
    this.context = context;
  }

  @Nullable String serverName() {
    return serverName;
  }

  /** Returns the context of connections. */
  public SslContext context() {
    return context;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof EndpointTls tls
            && fingerprint.equals(tls.fingerprint)
            && Objects.equals(serverName, tls.serverName));
  }

  @Override
  public int hashCode() {
    return fingerprint.hashCode();
  }
}
