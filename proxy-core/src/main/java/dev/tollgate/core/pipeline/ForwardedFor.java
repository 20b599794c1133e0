package dev.tollgate.core.pipeline;

import dev.tollgate.core.http.Headers;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.IpAddresses;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Resolver of the caller's address behind trusted proxies. X-Forwarded-For counts only from a
 * trusted peer, and is read from the right until the first hop that is not trusted. Any client
 * could have written what is left of that hop.
 */
final class ForwardedFor {
  private static final String NAME = "x-forwarded-for";

  private final CidrSet trusted;

  ForwardedFor(CidrSet trusted) {
    this.trusted = trusted;
  }

  ClientAddress caller(ClientAddress.Known peer, Headers headers) {
    if (!trusted.contains(peer.address())) {
      return peer;
    }
    ClientAddress.Known nearest = peer;
    for (int line = headers.size() - 1; line >= 0; line--) {
      if (!headers.name(line).equalsIgnoreCase(NAME)) {
        continue;
      }
      String[] hops = headers.value(line).split(",", -1);
      for (int i = hops.length - 1; i >= 0; i--) {
        InetAddress hop = hop(hops[i].strip());
        if (hop == null) {
          return ClientAddress.UNREADABLE;
        }
        nearest = ClientAddress.Known.of(hop);
        if (!trusted.contains(hop)) {
          return nearest;
        }
      }
    }
    return nearest;
  }

  /** Parses an address, also as {@code a.b.c.d:port} or {@code [v6]:port}. */
  private static @Nullable InetAddress hop(String text) {
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      return end < 0 ? null : IpAddresses.parse(text.substring(1, end));
    }
    int colon = text.indexOf(':');
    boolean hasPort = colon >= 0 && colon == text.lastIndexOf(':');
    return IpAddresses.parse(hasPort ? text.substring(0, colon) : text);
  }
}
