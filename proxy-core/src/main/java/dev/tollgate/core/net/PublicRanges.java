package dev.tollgate.core.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;

/**
 * Decides if an IP address belongs to the public Internet. It excludes ranges that are private,
 * local, reserved, shared, for documentation, or that map to IPv4.
 */
final class PublicRanges {
  private static final CidrSet V4_REFUSED =
      CidrSet.parse(
          List.of(
              "0.0.0.0/8",
              "10.0.0.0/8",
              "100.64.0.0/10",
              "127.0.0.0/8",
              "168.63.129.16/32", // Azure's own service, in a public block
              "169.254.0.0/16",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.0.2.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "198.51.100.0/24",
              "203.0.113.0/24",
              "224.0.0.0/4",
              "240.0.0.0/4"));
  private static final CidrSet V6_GLOBAL = CidrSet.parse(List.of("2000::/3"));
  private static final CidrSet V6_REFUSED =
      CidrSet.parse(List.of("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"));

  private PublicRanges() {}

  static boolean contains(InetAddress address) {
    return address instanceof Inet4Address
        ? !V4_REFUSED.contains(address)
        : V6_GLOBAL.contains(address)
            && !V6_REFUSED.contains(address)
            && !isIsatap(address.getAddress());
  }

  /** True if the second half is an ISATAP identifier, whose last four bytes are an IPv4 address. */
  private static boolean isIsatap(byte[] v6) {
    return (v6[8] & 0xfd) == 0 && v6[9] == 0 && v6[10] == 0x5e && v6[11] == (byte) 0xfe;
  }
}
