package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.account.AddressKeys;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Rate limits of calls, on a clock that the test moves. */
final class CallRatesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final CallRates rates = new CallRates(3, 6, nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void aSecondHasItsTokensAndAMinuteToo() {
    for (int i = 0; i < 3; i++) {
      assertThat(rates.ofPrincipal("a")).isZero();
    }
    assertThat(rates.ofPrincipal("a")).isOne();
    assertThat(rates.ofPrincipal("b")).isZero();
    pass(Duration.ofSeconds(1));
    for (int i = 0; i < 3; i++) {
      assertThat(rates.ofPrincipal("a")).isZero();
    }
    pass(Duration.ofSeconds(1));
    // Six of the minute are used, and a fifth of a token has flowed in.
    assertThat(rates.ofPrincipal("a")).isEqualTo(8);
    pass(Duration.ofSeconds(8));
    assertThat(rates.ofPrincipal("a")).isZero();
  }

  @Test
  void lookingAtAnAddressCountsNothing() {
    for (int i = 0; i < 20; i++) {
      assertThat(rates.waitOfAddress("10.0.0.1")).isZero();
    }
    for (int i = 0; i < 10; i++) {
      assertThat(rates.ofAddress("10.0.0.1")).isZero();
    }
    assertThat(rates.waitOfAddress("10.0.0.1")).isOne();
    assertThat(rates.waitOfAddress("10.0.0.2")).isZero();
  }

  @Test
  void bucketsAreBoundedInNumber() {
    for (int i = 0; i < 3; i++) {
      assertThat(rates.ofPrincipal("first")).isZero();
    }
    for (int i = 0; i < CallRates.BUCKETS_MAX; i++) {
      assertThat(rates.ofPrincipal("other" + i)).isZero();
    }
    assertThat(rates.ofPrincipal("first")).isZero(); // forgotten
  }

  @Test
  void anIpv6NetworkIsOneAddress() {
    assertThat(AddressKeys.of("2001:db8:1:2::1")).isEqualTo(AddressKeys.of("2001:db8:1:2:3::9"));
    assertThat(AddressKeys.of("2001:db8:1:3::1")).isNotEqualTo(AddressKeys.of("2001:db8:1:2::1"));
    assertThat(AddressKeys.of("192.0.2.1")).isNotEqualTo(AddressKeys.of("192.0.2.2"));
    assertThat(AddressKeys.of("unknown")).isEqualTo("unknown");
  }
}
