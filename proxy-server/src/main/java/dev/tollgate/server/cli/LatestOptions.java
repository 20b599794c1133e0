package dev.tollgate.server.cli;

import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How many rows a list of the latest has. */
final class LatestOptions {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "At most so many (default: 50).")
  private int limit;

  /** Above 0. */
  int limit() {
    if (limit < 1) {
      throw new TypeConversionException("--limit must be above 0");
    }
    return limit;
  }
}
