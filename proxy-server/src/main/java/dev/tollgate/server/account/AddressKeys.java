package dev.tollgate.server.account;

import dev.tollgate.core.net.AddressBlock;
import io.netty.util.NetUtil;
import java.net.InetAddress;

/** Names of clients' addresses in tables of limits: an IPv6 network of 64 bits is one client. */
public final class AddressKeys {
  private AddressKeys() {}

  /**
   * Returns the name of a client's address.
   *
   * @param client the address as text; other text names itself
   */
  public static String of(String client) {
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(client);
    return address == null ? client : AddressBlock.of(address).toString();
  }
}
