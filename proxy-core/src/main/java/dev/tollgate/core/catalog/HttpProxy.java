package dev.tollgate.core.catalog;

import org.jspecify.annotations.Nullable;

/**
 * HTTP proxy through which an endpoint is reached by CONNECT.
 *
 * @param host name or address; an IPv6 address without brackets
 * @param authorization value of {@code Proxy-Authorization}; null: none is sent
 */
public record HttpProxy(String host, int port, @Nullable Secret authorization) {
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
