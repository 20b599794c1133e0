package dev.tollgate.server.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** Days, times and distances as values of options. */
class TimePointTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

  private final TimePoint.Converter converter = new TimePoint.Converter();

  @Test
  void aDistanceIsFromNow() {
    TimePoint away = converter.convert("36h");
    assertThat(away.before(NOW)).isEqualTo("2026-11-25T22:00:00Z");
    assertThat(away.after(NOW)).isEqualTo("2026-11-28T22:00:00Z");
    assertThat(converter.convert("999999999d").before(NOW)).isEqualTo(Instant.EPOCH);
  }

  @Test
  void aDayBeginsInUtc() {
    assertThat(converter.convert("2026-11-20").before(NOW)).isEqualTo("2026-11-20T00:00:00Z");
    assertThat(converter.convert("2026-11-20T12:30:00Z").after(NOW))
        .isEqualTo("2026-11-20T12:30:00Z");
  }

  @Test
  void anythingElseIsRefusedWithExamples() {
    assertThatThrownBy(() -> converter.convert("tomorrow"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContainingAll("'tomorrow'", "2027-01-31", "30d");
  }
}
