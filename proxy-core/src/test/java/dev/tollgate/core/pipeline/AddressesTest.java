package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.http.Headers;
import dev.tollgate.core.pipeline.CidrSet.Addresses;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which address a caller has, and which blocks it is in. */
final class AddressesTest {

  private static InetAddress address(String text) {
    return Objects.requireNonNull(Addresses.parse(text), text);
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

  /** Lines are split at bars; trusted are 10.0.0.0/8 and ::1. */
  @ParameterizedTest
  @CsvSource({
    "203.0.113.1, 10.9.9.9, 203.0.113.1",
    "10.0.0.1, '', 10.0.0.1",
    "10.0.0.1, 198.51.100.7, 198.51.100.7",
    "10.0.0.1, '6.6.6.6, 198.51.100.7', 198.51.100.7",
    "10.0.0.1, '6.6.6.6, 198.51.100.7, 10.0.0.9', 198.51.100.7",
    "10.0.0.1, '6.6.6.6 | 198.51.100.7', 198.51.100.7",
    "10.0.0.1, '198.51.100.7 | 10.2.2.2', 198.51.100.7",
    "10.0.0.1, '10.3.3.3, 10.2.2.2', 10.3.3.3",
    "10.0.0.1, ::ffff:198.51.100.7, 198.51.100.7",
    "10.0.0.1, 198.51.100.7:4711, 198.51.100.7",
    "10.0.0.1, '[2001:db8::7]:4711', 2001:db8::7",
    "::1, 2001:db8::7, 2001:db8::7",
    "10.0.0.1, '198.51.100.7, nonsense', unknown",
    "10.0.0.1, 'nonsense, 198.51.100.7', 198.51.100.7",
    "10.0.0.1, '198.51.100.7,', unknown",
    "10.0.0.1, '[2001:db8::7', unknown",
  })
  void callerBehindProxies(String peer, String forwardedFor, String caller) {
    ForwardedFor proxies = new ForwardedFor(CidrSet.parse(List.of("10.0.0.0/8", "::1")));
    String[] lines =
        forwardedFor.isEmpty()
            ? new String[0]
            : Arrays.stream(forwardedFor.split("\\|", -1))
                .flatMap(line -> List.of("X-Forwarded-For", line.strip()).stream())
                .toArray(String[]::new);
    ClientAddress found = proxies.caller(ClientAddress.Known.of(address(peer)), Headers.of(lines));
    assertThat(found.text()).isEqualTo(caller);
  }
}
