package dev.tollgate.server.cli;

import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Command line options that change the limits of an API key; a limit that is not given stays as it
 * is.
 */
final class LimitOptions {
  @Option(
      names = "--requests-per-second",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "Requests per second; 0: off; default: the gateway's default.")
  private @Nullable NewLimit requestsPerSecond;

  @Option(
      names = "--requests-per-minute",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "Requests per minute; 0: off; default: the gateway's default.")
  private @Nullable NewLimit requestsPerMinute;

  @Option(
      names = "--tokens-per-minute",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "Tokens per minute; 0: off; default: the gateway's default.")
  private @Nullable NewLimit tokensPerMinute;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "Concurrent requests; 0: off; default: the gateway's default.")
  private @Nullable NewLimit concurrency;

  /** True if none is given. */
  boolean areNone() {
    return Stream.of(requestsPerSecond, requestsPerMinute, tokensPerMinute, concurrency)
        .allMatch(Objects::isNull);
  }

  /** Returns the limits with these changes. */
  KeyLimits applyTo(KeyLimits current) {
    return new KeyLimits(
        number(requestsPerSecond, current.requestsPerSecond()),
        number(requestsPerMinute, current.requestsPerMinute()),
        tokensPerMinute == null ? current.tokensPerMinute() : tokensPerMinute.value(),
        number(concurrency, current.concurrency()),
        current.dailyBudget(),
        current.monthlyBudget());
  }

  private static @Nullable Integer number(@Nullable NewLimit option, @Nullable Integer current) {
    if (option == null) {
      return current;
    }
    Long value = option.value();
    return value == null ? null : Math.toIntExact(value);
  }
}
