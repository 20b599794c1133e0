package dev.tollgate.server.cli;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.ledger.RequestHistory.Filter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Command line options that filter the request log by organization, API key and outcome. */
final class RequestOptions {
  @Option(
      names = "--org",
      paramLabel = "ORG",
      description = "Only requests of this organization: name or id.")
  private @Nullable String org;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only requests of this key: the 8 characters after sk-llm-.")
  private @Nullable String key;

  @Option(
      names = "--outcome",
      paramLabel = "OUTCOME",
      description =
          "Only requests with this outcome: ok, rejected, client_abort, … as in the access log.")
  private @Nullable String outcome;

  @Nullable String org() {
    return org;
  }

  /** Returns the filter for the store's query; null as {@code id} means all organizations. */
  Filter filter(@Nullable OrgId id) {
    if (outcome != null
        && Arrays.stream(RequestOutcome.values()).noneMatch(e -> e.wire().equals(outcome))) {
      throw new TypeConversionException("--outcome must be one of " + outcomes());
    }
    return new Filter(id, key == null ? null : new KeyId(key), outcome);
  }

  private static String outcomes() {
    return Arrays.stream(RequestOutcome.values())
        .map(RequestOutcome::wire)
        .collect(Collectors.joining(", "));
  }
}
