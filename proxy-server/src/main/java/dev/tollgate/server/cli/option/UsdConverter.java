package dev.tollgate.server.cli.option;

import dev.tollgate.core.money.MicroUsd;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parser of USD amount options such as {@code 25} or {@code 0.50}: not negative, at most 6
 * decimals.
 */
public final class UsdConverter implements ITypeConverter<MicroUsd> {
  @Override
  public MicroUsd convert(String text) {
    try {
      MicroUsd amount = MicroUsd.ofUsd(text);
      if (amount.value() >= 0 && text.matches("[0-9.]+")) {
        return amount;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // reported below, for all causes
    }
    throw new TypeConversionException(
        "'" + text + "' is not an amount in USD with at most 6 decimals, such as 25 or 0.50");
  }
}
