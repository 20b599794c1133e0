package dev.tollgate.core.money;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MicroUsdTest {
  @ParameterizedTest
  @CsvSource({
    "10, 10000000, 10.00",
    "0.000001, 1, 0.000001",
    "0, 0, 0.00",
    "1.50, 1500000, 1.50",
    "-0.10, -100000, -0.10",
    "9223372036854.775807, 9223372036854775807, 9223372036854.775807"
  })
  void decimalDollarsAreExact(String usd, long micro, String shown) {
    assertThat(MicroUsd.ofUsd(usd)).isEqualTo(new MicroUsd(micro));
    assertThat(new MicroUsd(micro).toUsd()).isEqualTo(shown);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    assertThatThrownBy(() -> MicroUsd.ofUsd("0.0000001")).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> MicroUsd.ofUsd("1e20")).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> MicroUsd.ofUsd("ten")).isInstanceOf(NumberFormatException.class);
    MicroUsd most = new MicroUsd(Long.MAX_VALUE);
    assertThatThrownBy(() -> most.plus(new MicroUsd(1))).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> new MicroUsd(Long.MIN_VALUE).minus(new MicroUsd(1)))
        .isInstanceOf(ArithmeticException.class);
  }
}
