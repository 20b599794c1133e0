package dev.tollgate.core.catalog;

/**
 * Host, port and TLS use of an upstream endpoint, by which connection pools are keyed
 * (docs/decisions/operations.md#identity-of-endpoints). Connections with equal identities are
 * interchangeable.
 *
 * @param host name or address; the TLS name that is verified
 */
public record EndpointIdentity(boolean tls, String host, int port) {
  /** Returns the value of the request field {@code host}. */
  public String authority() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == (tls ? 443 : 80) ? name : name + ":" + port;
  }

  @Override
  public String toString() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }
}
