package dev.tollgate.core.money;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Amount of money in micro-USD, of which 1,000,000 are 1 USD. Arithmetic is checked for overflow.
 */
public record MicroUsd(long value) implements Comparable<MicroUsd> {
  public static final MicroUsd ZERO = new MicroUsd(0);
  private static final int SCALE = 6;

  /**
   * Returns the amount of a decimal USD string such as {@code "10.00"}.
   *
   * @throws ArithmeticException if it has more than 6 decimals or does not fit
   * @throws NumberFormatException if it is not a decimal number
   */
  public static MicroUsd ofUsd(String decimalUsd) {
    return new MicroUsd(
        new BigDecimal(decimalUsd)
            .setScale(SCALE, RoundingMode.UNNECESSARY)
            .movePointRight(SCALE)
            .longValueExact());
  }

  public MicroUsd plus(MicroUsd other) {
    return new MicroUsd(Math.addExact(value, other.value));
  }

  public MicroUsd minus(MicroUsd other) {
    return new MicroUsd(Math.subtractExact(value, other.value));
  }

  public boolean isPositive() {
    return value > 0;
  }

  /**
   * Returns decimal USD without trailing zeros, at least two decimals: {@code 10.00}, {@code
   * 0.000123}.
   */
  public String toUsd() {
    BigDecimal usd = BigDecimal.valueOf(value, SCALE).stripTrailingZeros();
    return usd.setScale(Math.max(usd.scale(), 2)).toPlainString();
  }

  @Override
  public int compareTo(MicroUsd other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return value + " µUSD";
  }
}
