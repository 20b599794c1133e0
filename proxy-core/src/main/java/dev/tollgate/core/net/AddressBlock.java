package dev.tollgate.core.net;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Block of addresses that counts as one client: an IPv4 address, or the /64 of an IPv6 address,
 * since a client can choose its address within that. IPv4 inside IPv6 counts as IPv4.
 *
 * @param bits the address, or the first half of it
 */
public record AddressBlock(boolean isIpv4, long bits) {
  private static final int IPV4_BYTES = 4;

  /** Returns the block of an address. */
  public static AddressBlock of(InetAddress address) {
    byte[] bytes = IpAddresses.of(address.getAddress()).getAddress();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return bytes.length == IPV4_BYTES
        ? new AddressBlock(true, Integer.toUnsignedLong(buffer.getInt()))
        : new AddressBlock(false, buffer.getLong());
  }
}
