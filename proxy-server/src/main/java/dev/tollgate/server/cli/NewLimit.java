package dev.tollgate.server.cli;

import dev.tollgate.core.limit.Bucket;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * New value of a limit of a key.
 *
 * @param value 0: off; null: the gateway's default
 */
record NewLimit(@Nullable Long value) {
  private static final String DEFAULT = "default";

  private static boolean isLimit(long value) {
    return value >= 0 && value <= Bucket.CAPACITY_MAX;
  }

  /** Parses a number or {@code default}. */
  static final class Converter implements ITypeConverter<NewLimit> {
    @Override
    public NewLimit convert(String text) {
      if (text.equals(DEFAULT)) {
        return new NewLimit(null);
      }
      try {
        long value = Long.parseLong(text);
        if (isLimit(value)) {
          return new NewLimit(value);
        }
      } catch (NumberFormatException _) {
        // reported below
      }
      throw new TypeConversionException(
          "'" + text + "' is neither default nor 0 to " + Bucket.CAPACITY_MAX);
    }
  }
}
