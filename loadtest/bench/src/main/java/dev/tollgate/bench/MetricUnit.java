package dev.tollgate.bench;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Unit of a benchmark metric, with the format of its values. */
public enum MetricUnit {
  /** Nanoseconds inside. */
  TIME,
  /** Bytes inside. */
  SIZE,
  /** Plain numbers. */
  COUNT;

  /** Returns the factor of a suffix; null if the unit does not have it. */
  @Nullable Double factor(String suffix) {
    return switch (this) {
      case TIME -> timeFactor(suffix);
      case SIZE -> sizeFactor(suffix);
      case COUNT -> suffix.isEmpty() ? 1.0 : null;
    };
  }

  private static @Nullable Double timeFactor(String suffix) {
    return switch (suffix) {
      case "us" -> 1e3;
      case "ms" -> 1e6;
      case "s" -> 1e9;
      default -> null;
    };
  }

  private static @Nullable Double sizeFactor(String suffix) {
    return switch (suffix) {
      case "KiB" -> (double) (1L << 10);
      case "MiB" -> (double) (1L << 20);
      case "GiB" -> (double) (1L << 30);
      default -> null;
    };
  }

  /** Returns the suffixes of the unit, for an error message. */
  String suffixes() {
    return switch (this) {
      case TIME -> "us, ms or s";
      case SIZE -> "KiB, MiB or GiB";
      case COUNT -> "nothing";
    };
  }

  /** Formats a value for the report, with its unit. */
  String show(double value) {
    return switch (this) {
      case TIME -> micros(value / 1e3);
      case SIZE -> String.format(Locale.ROOT, "%.0f MiB", value / (1024 * 1024));
      case COUNT ->
          value == Math.rint(value)
              ? String.format(Locale.ROOT, "%.0f", value)
              : String.format(Locale.ROOT, "%.2f", value);
    };
  }

  private static String micros(double micros) {
    return String.format(Locale.ROOT, Math.abs(micros) < 100 ? "%.1f us" : "%.0f us", micros);
  }
}
