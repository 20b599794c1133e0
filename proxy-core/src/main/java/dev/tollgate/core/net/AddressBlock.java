package dev.tollgate.core.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Addresses that are counted as one client: a single IPv4 address, or an IPv6 network of 64 bits,
 * because a host usually has such a network for itself.
 *
 * @param bits the IPv4 address, or the first 64 bits of the IPv6 address
 */
public record AddressBlock(Family family, long bits) {
  /** Block of all clients whose address cannot be read. */
  public static final AddressBlock UNREADABLE = new AddressBlock(Family.UNREADABLE, 0);

  /** Kind of address. */
  public enum Family {
    IPV4,
    IPV6,
    UNREADABLE
  }

  /** Returns the block of an address; IPv4 inside IPv6 must have become IPv4 before. */
  public static AddressBlock of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address
        ? new AddressBlock(Family.IPV4, bytes.getInt())
        : new AddressBlock(Family.IPV6, bytes.getLong());
  }
}
