package dev.tollgate.server.cli;

import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which limits of a key are to change, and to what; what is not given stays. */
final class LimitOptions {
  @Option(
      names = "--requests-per-second",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "0: off; default: as the gateway has it.")
  private @Nullable NewLimit requestsPerSecond;

  @Option(
      names = "--requests-per-minute",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "0: off; default: as the gateway has it.")
  private @Nullable NewLimit requestsPerMinute;

  @Option(
      names = "--tokens-per-minute",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "0: off; default: as the gateway has it.")
  private @Nullable NewLimit tokensPerMinute;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      converter = NewLimit.Converter.class,
      description = "Requests at once; 0: off; default: as the gateway has it.")
  private @Nullable NewLimit concurrency;

  /** The key's limits with these changes. */
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
