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
  KeyLimits changed(KeyLimits now) {
    return new KeyLimits(
        number(requestsPerSecond, now.requestsPerSecond()),
        number(requestsPerMinute, now.requestsPerMinute()),
        tokensPerMinute == null ? now.tokensPerMinute() : tokensPerMinute.value(),
        number(concurrency, now.concurrency()),
        now.dailyBudget(),
        now.monthlyBudget());
  }

  private static @Nullable Integer number(@Nullable NewLimit wished, @Nullable Integer now) {
    if (wished == null) {
      return now;
    }
    Long value = wished.value();
    return value == null ? null : Math.toIntExact(value);
  }
}
