package dev.tollgate.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** What counts as one client: an IPv4 address, the /64 of an IPv6 address. */
final class AddressBlockTest {
  @Test
  void anIpv4AddressIsAlone() {
    assertThat(block("198.51.100.7")).isEqualTo(block("198.51.100.7"));
    assertThat(block("198.51.100.7")).isNotEqualTo(block("198.51.100.8"));
    assertThat(block("::ffff:198.51.100.7")).isEqualTo(block("198.51.100.7"));
  }

  @Test
  void anIpv6AddressIsOneOfItsBlock() {
    assertThat(block("2001:db8:0:1::1")).isEqualTo(block("2001:db8:0:1:ffff:ffff:ffff:ffff"));
    assertThat(block("2001:db8:0:1::1")).isNotEqualTo(block("2001:db8:0:2::1"));
  }

  @Test
  void noIpv6BlockIsAnIpv4Address() {
    assertThat(block("0:0:c633:6407::1")).isNotEqualTo(block("198.51.100.7"));
  }

  private static AddressBlock block(String text) {
    InetAddress address = IpAddresses.parse(text);
    if (address == null) {
      throw new AssertionError(text);
    }
    return AddressBlock.of(address);
  }
}
