package dev.tollgate.server.cli.option;

import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command line option {@code --limit}: the largest number of rows that a list command prints. */
public final class LatestOptions {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "Largest number of rows (default: 50).")
  private int limit;

  /** Returns the number, above 0. */
  public int limit() {
    if (limit < 1) {
      throw new TypeConversionException("--limit must be above 0");
    }
    return limit;
  }
}
