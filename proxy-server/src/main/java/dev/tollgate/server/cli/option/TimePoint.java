package dev.tollgate.server.cli.option;

import dev.tollgate.server.settings.value.TimeSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Time that an option names: a day or a time in UTC, or its distance from now. */
public sealed interface TimePoint {
  /** Label of such an option's value in the help. */
  String LABEL = "TIME|SPAN";

  /** Returns the present. */
  static TimePoint now() {
    return new Away(Duration.ZERO);
  }

  /** A day's begin, or a time. */
  record At(Instant instant) implements TimePoint {}

  /** A distance from now. */
  record Away(Duration distance) implements TimePoint {}

  /** Returns the time; a distance is one into the past, at most to 1970. */
  default Instant before(Instant now) {
    return switch (this) {
      case At(Instant instant) -> instant;
      case Away(Duration distance) -> {
        Instant instant = now.minus(distance);
        yield instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant;
      }
    };
  }

  /** Returns the time; a distance is one into the future. */
  default Instant after(Instant now) {
    return switch (this) {
      case At(Instant instant) -> instant;
      case Away(Duration distance) -> now.plus(distance);
    };
  }

  /** Parser of {@code 2026-11-20}, {@code 2026-11-20T12:00:00Z} and {@code 30d}. */
  final class Converter implements ITypeConverter<TimePoint> {
    @Override
    public TimePoint convert(String text) {
      return TimeSpan.parse(text)
          .<TimePoint>map(Away::new)
          .or(() -> instant(text).map(At::new))
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'"
                          + text
                          + "' is none of 2027-01-31, 2027-01-31T12:00:00Z or a duration such as"
                          + " 30d"));
    }

    private static Optional<Instant> instant(String text) {
      try {
        return Optional.of(
            text.length() == "2027-01-31".length()
                ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                : Instant.parse(text));
      } catch (DateTimeParseException _) {
        return Optional.empty();
      }
    }
  }
}
