package dev.tollgate.server.cli.option;

import dev.tollgate.server.settings.value.TimeSpan;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parser of duration options such as {@code 24h}, in the notation of the configuration file. */
public final class SpanConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    return TimeSpan.parse(text)
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is not a duration such as 20ms"));
  }
}
