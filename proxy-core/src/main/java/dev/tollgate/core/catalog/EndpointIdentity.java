package dev.tollgate.core.catalog;

import org.jspecify.annotations.Nullable;

/**
 * Host, port, TLS use and way of an upstream endpoint, by which connection pools are keyed
 * (docs/decisions/operations.md#identity-of-endpoints). Connections with equal identities are
 * interchangeable.
 *
 * @param host name or address; the TLS name that is verified, unless {@code settings} has another
 * @param settings TLS settings of its own; null: the machine's trust, and no client certificate
 * @param proxy the proxy that connections go through; null: none
 */
public record EndpointIdentity(
    boolean tls, String host, int port, @Nullable EndpointTls settings, @Nullable HttpProxy proxy) {
  /** Creates an endpoint that is called directly, with the TLS settings of all. */
  public EndpointIdentity(boolean tls, String host, int port) {
    this(tls, host, port, null, null);
  }

  /** Returns the value of the request field {@code host}. */
  public String authority() {
    return port == (tls ? 443 : 80) ? bracketed() : hostAndPort();
  }

  /** Returns host and port, also a default port. */
  public String hostAndPort() {
    return bracketed() + ":" + port;
  }

  private String bracketed() {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  /** Returns the name that the endpoint's certificate must have. */
  public String tlsName() {
    String other = settings == null ? null : settings.serverName();
    return other == null ? host : other;
  }

  @Override
  public String toString() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }
}
