package dev.tollgate.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Membership of addresses in blocks, and invalid blocks. */
final class CidrSetTest {

  private static InetAddress address(String text) {
    return Objects.requireNonNull(IpAddresses.parse(text), text);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.4, false",
    "10.1.2.0/23, 10.1.3.255, true",
    "10.1.2.0/23, 10.1.4.0, false",
    "0.0.0.0/0, 203.0.113.1, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "10.0.0.0/8, ::ffff:10.2.3.4, true",
    "::ffff:10.0.0.0/104, 10.2.3.4, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::1, ::1, true",
  })
  void blocks(String block, String address, boolean isInside) {
    assertThat(CidrSet.parse(List.of(block)).contains(address(address))).isEqualTo(isInside);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0",
        "example.com",
        "fe80::1%eth0",
        "::/129",
        "::ffff:10.0.0.0/8",
        "10.0.0.0/8/8",
        "010.0.0.1/+8"
      })
  void noBlocks(String text) {
    assertThatThrownBy(() -> CidrSet.parse(List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }
}
