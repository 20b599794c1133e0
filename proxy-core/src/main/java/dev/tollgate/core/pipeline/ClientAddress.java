package dev.tollgate.core.pipeline;

import io.netty.util.NetUtil;
import java.net.InetAddress;

/** Client's IP address as resolved behind trusted proxies, or the fact that it is invalid. */
sealed interface ClientAddress {
  /** Returns the address as it is logged. */
  String text();

  /** A valid address; IPv4 inside IPv6 is mapped to IPv4. */
  record Known(InetAddress address, String text) implements ClientAddress {
    static Known of(InetAddress address) {
      return new Known(address, NetUtil.toAddressString(address));
    }
  }

  /** An invalid address from a trusted proxy: no list contains it. */
  record Unreadable() implements ClientAddress {
    @Override
    public String text() {
      return "unknown";
    }
  }

  ClientAddress UNREADABLE = new Unreadable();
}
