package dev.tollgate.server.cli;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.cli.option.CallerOptions;
import dev.tollgate.server.postgres.ledger.RequestHistory.Filter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command line options that filter the request log by organization, API key and outcome. */
final class RequestOptions {
  @Mixin private CallerOptions caller = new CallerOptions();

  @Option(
      names = "--outcome",
      paramLabel = "OUTCOME",
      description =
          "Only requests with this outcome: ok, rejected, client_abort, … as in the access log.")
  private @Nullable String outcome;

  @Nullable String org() {
    return caller.org();
  }

  /** Returns the filter for the store's query; null as {@code id} means all organizations. */
  Filter filter(@Nullable OrgId id) {
    if (outcome != null
        && Arrays.stream(RequestOutcome.values()).noneMatch(e -> e.wire().equals(outcome))) {
      throw new TypeConversionException("--outcome must be one of " + outcomes());
    }
    return new Filter(id, caller.key(), outcome);
  }

  private static String outcomes() {
    return Arrays.stream(RequestOutcome.values())
        .map(RequestOutcome::wire)
        .collect(Collectors.joining(", "));
  }
}
