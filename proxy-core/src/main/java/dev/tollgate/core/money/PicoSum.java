package dev.tollgate.core.money;

import java.math.BigInteger;

/**
 * Sum of units × price in pico-USD, exact in 128 bits, with the rounding to a charge in micro-USD
 * (docs/decisions/money.md#rounding). It rounds half up, and to at least 1 if the sum is not zero.
 */
final class PicoSum implements Cost.Products {
  /** Upper bound of a charge, one billion USD, so that sums of charges fit in a long. */
  static final MicroUsd MAX = new MicroUsd(1_000_000_000_000_000L);

  private static final long PICO_PER_MICRO = 1_000_000;
  private static final long HALF = PICO_PER_MICRO / 2;

  // Two's complement over both; products of a count and a price are never negative.
  private long high;
  private long low;

  /** Adds {@code units} at a price in pico-USD each; both must not be negative. */
  PicoSum add(long units, long perUnit) {
    assert units >= 0 && perUnit >= 0 : units + " × " + perUnit;
    long product = units * perUnit;
    low += product;
    long carry = Long.compareUnsigned(low, product) < 0 ? 1 : 0;
    high += Math.multiplyHigh(units, perUnit) + carry;
    return this;
  }

  @Override
  public void add(PricedUnit unit, long units, long perUnit) {
    add(units, perUnit);
  }

  MicroUsd rounded() {
    if (high == 0 && low == 0) {
      return MicroUsd.ZERO;
    }
    boolean small = high == 0 && low > 0 && low <= Long.MAX_VALUE - HALF;
    return small ? new MicroUsd(Math.max(1, (low + HALF) / PICO_PER_MICRO)) : roundedLarge();
  }

  private MicroUsd roundedLarge() {
    BigInteger micro =
        BigInteger.valueOf(high)
            .shiftLeft(Long.SIZE)
            .add(new BigInteger(Long.toUnsignedString(low)))
            .add(BigInteger.valueOf(HALF))
            .divide(BigInteger.valueOf(PICO_PER_MICRO));
    BigInteger max = BigInteger.valueOf(MAX.value());
    return new MicroUsd(micro.min(max).longValueExact());
  }
}
