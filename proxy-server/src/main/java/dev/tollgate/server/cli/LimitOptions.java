package dev.tollgate.server.cli;

import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.tenant.KeyPatch.LimitsPatch;
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

  /** Returns the change; null if none is given. */
  @Nullable LimitsPatch patch() {
    return areNone()
        ? null
        : new LimitsPatch(
            integer(requestsPerSecond),
            integer(requestsPerMinute),
            tokensPerMinute == null ? Patch.keep() : Patch.set(tokensPerMinute.value()),
            integer(concurrency));
  }

  private static Patch<@Nullable Integer> integer(@Nullable NewLimit option) {
    if (option == null) {
      return Patch.keep();
    }
    Long value = option.value();
    return Patch.set(value == null ? null : (Integer) Math.toIntExact(value));
  }
}
