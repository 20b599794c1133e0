package dev.tollgate.server.cli.option;

import dev.tollgate.server.postgres.ledger.UsageReport.Period;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command line options that name the period of a report. */
public final class PeriodOptions {
  /** Time after now that a period without an end includes: the clocks of nodes differ. */
  private static final Duration AHEAD = Duration.ofDays(1);

  @Option(
      names = {"--from", "--since"},
      paramLabel = TimePoint.LABEL,
      defaultValue = "7d",
      converter = TimePoint.Converter.class,
      description =
          "Begin of the period: 2026-11-20, 2026-11-20T12:00:00Z, or 30d before now (default: 7d).")
  private @Nullable TimePoint from;

  @Option(
      names = "--to",
      paramLabel = TimePoint.LABEL,
      converter = TimePoint.Converter.class,
      description = "End of the period, exclusive; written as its begin (default: now).")
  private @Nullable TimePoint to;

  /**
   * Returns the period.
   *
   * @throws TypeConversionException if it ends before it begins
   */
  public Period at(Instant now) {
    Instant begin = from == null ? Instant.EPOCH : from.before(now);
    Instant end = to == null ? now.plus(AHEAD) : to.before(now);
    if (!begin.isBefore(end)) {
      throw new TypeConversionException("--from must be before --to");
    }
    return new Period(begin, end);
  }
}
