package dev.tollgate.core.money;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Arithmetic of a charge, line by line: the products of units and prices whose sum was rounded to
 * the charge.
 *
 * @param lines of what was used, also at a price of zero, in the order of the sum
 */
public record ItemizedCost(List<Line> lines, BigInteger totalPico, MicroUsd rounded) {
  public ItemizedCost {
    lines = List.copyOf(lines);
  }

  /**
   * One product of the sum.
   *
   * @param part position of the provider's usage in the charge, from 0
   */
  public record Line(int part, PricedUnit unit, long quantity, long pricePico) {
    public BigInteger pico() {
      return BigInteger.valueOf(quantity).multiply(BigInteger.valueOf(pricePico));
    }
  }

  /** Returns the lines of the same products that {@link Cost#of(List)} sums. */
  public static ItemizedCost of(List<Cost.PricedUsage> parts) {
    List<Line> lines = new ArrayList<>();
    PicoSum sum = new PicoSum();
    for (int i = 0; i < parts.size(); i++) {
      int part = i;
      Cost.add(
          (unit, units, perUnit) -> {
            sum.add(unit, units, perUnit);
            if (unit == PricedUnit.REQUEST ? perUnit > 0 : units > 0) {
              lines.add(new Line(part, unit, units, perUnit));
            }
          },
          parts.get(i));
    }
    BigInteger total = lines.stream().map(Line::pico).reduce(BigInteger.ZERO, BigInteger::add);
    return new ItemizedCost(lines, total, sum.rounded());
  }
}
