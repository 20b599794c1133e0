package dev.tollgate.server.cli;

import dev.tollgate.core.limit.Bucket;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Value of a command line option that changes a limit of an API key: a number or {@code default}.
 *
 * @param value 0 turns the limit off; null means the gateway's default
 */
record NewLimit(@Nullable Long value) {
  private static final String DEFAULT = "default";

  private static boolean isLimit(long value) {
    return value >= 0 && value <= Bucket.CAPACITY_MAX;
  }

  /** Parser of a number or the word {@code default}. */
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
