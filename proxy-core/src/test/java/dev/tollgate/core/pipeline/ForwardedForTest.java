package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Headers;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.IpAddresses;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Address of a caller behind proxies. */
final class ForwardedForTest {

  private static InetAddress address(String text) {
    return Objects.requireNonNull(IpAddresses.parse(text), text);
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
