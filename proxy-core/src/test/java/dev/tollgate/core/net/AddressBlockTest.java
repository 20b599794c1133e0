package dev.tollgate.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

final class AddressBlockTest {
  @Test
  void anIpv4AddressIsABlockOfItsOwn() {
    assertThat(block("192.0.2.1")).isEqualTo(block("192.0.2.1"));
    assertThat(block("192.0.2.1")).isNotEqualTo(block("192.0.2.2"));
    assertThat(block("192.0.2.1")).isEqualTo(block("::ffff:192.0.2.1"));
  }

  @Test
  void anIpv6NetworkOf64BitsIsOneBlock() {
    assertThat(block("2001:db8:1:2::1")).isEqualTo(block("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    assertThat(block("2001:db8:1:2::1")).isNotEqualTo(block("2001:db8:1:3::1"));
  }

  @Test
  void equalBitsOfTwoFamiliesAreTwoBlocks() {
    assertThat(block("0.0.0.0")).isNotEqualTo(block("::1"));
    assertThat(AddressBlock.UNREADABLE).isNotIn(block("0.0.0.0"), block("::1"));
  }

  private static AddressBlock block(String address) {
    return AddressBlock.of(Objects.requireNonNull(IpAddresses.parse(address)));
  }
}
