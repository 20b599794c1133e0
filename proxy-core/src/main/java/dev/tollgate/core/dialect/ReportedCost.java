package dev.tollgate.core.dialect;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Converts the cost that a provider reports for a request, a JSON number in USD, to micro-USD.
 * Fractions are rounded half up. An amount that cannot be true counts as none: a negative one, or
 * one above 10,000 USD.
 */
final class ReportedCost {
  private static final int DECIMALS = 6;
  private static final long MICRO_MAX = 10_000_000_000L;

  /** Digits that a number may have; more are no amount of money. */
  private static final int TEXT_MAX = 64;

  /** Position of the first digit above which a number is too large, and below which it is 0. */
  private static final int DIGIT_MAX = 6;

  private static final int DIGIT_MIN = -9;

  private ReportedCost() {}

  static long ofUsd(String number) {
    if (number.length() > TEXT_MAX || number.charAt(0) == '-') {
      return 0;
    }
    BigDecimal usd = decimal(number);
    // An exponent is looked at before it is expanded into digits.
    long firstDigit = (long) usd.precision() - usd.scale();
    if (firstDigit > DIGIT_MAX || firstDigit < DIGIT_MIN) {
      return 0;
    }
    long micro =
        usd.setScale(DECIMALS, RoundingMode.HALF_UP).movePointRight(DECIMALS).longValueExact();
    return micro <= MICRO_MAX ? micro : 0;
  }

  private static BigDecimal decimal(String number) {
    try {
      return new BigDecimal(number);
    } catch (NumberFormatException e) { // an exponent that does not fit
      return BigDecimal.ZERO;
    }
  }
}
