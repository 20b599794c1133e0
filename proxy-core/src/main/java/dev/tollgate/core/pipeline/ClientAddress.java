package dev.tollgate.core.pipeline;

import io.netty.util.NetUtil;
import java.net.InetAddress;

/** Who calls, as far as the network says, behind trusted proxies. */
sealed interface ClientAddress {
  /** As it is logged. */
  String text();

  /** An address that can be checked; IPv4 inside IPv6 is IPv4 already. */
  record Known(InetAddress address, String text) implements ClientAddress {
    static Known of(InetAddress address) {
      return new Known(address, NetUtil.toAddressString(address));
    }
  }

  /** What a trusted proxy said is no address: it is in no list. */
  record Unreadable() implements ClientAddress {
    @Override
    public String text() {
      return "unknown";
    }
  }

  ClientAddress UNREADABLE = new Unreadable();
}
