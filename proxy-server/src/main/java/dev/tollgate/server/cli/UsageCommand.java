package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.option.SpanConverter;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.ledger.UsageReport;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Command {@code tollgate usage}: prints sums of requests, tokens and cost by day, model or key.
 */
@Command(
    name = "usage",
    description = "Sums of requests, tokens and cost.",
    mixinStandardHelpOptions = true)
final class UsageCommand extends TenantCommand {
  @Option(
      names = "--org",
      paramLabel = "ORG",
      description = "Name or id of the organization. Without it: all.")
  private @Nullable String org;

  @Option(
      names = "--by",
      paramLabel = "day|model|key",
      defaultValue = "day",
      description = "Grouping of the sums (default: day, in UTC).")
  private Grouping by = Grouping.day;

  @Option(
      names = "--since",
      paramLabel = "SPAN",
      defaultValue = "7d",
      converter = SpanConverter.class,
      description = "Period until now, such as 24h or 30d (default: 7d).")
  private Duration since = Duration.ZERO;

  /** Dimension by which the sums are grouped. */
  enum Grouping {
    day,
    model,
    key;

    UsageReport.GroupBy toStoreGrouping() {
      return UsageReport.GroupBy.valueOf(name().toUpperCase(Locale.ROOT));
    }
  }

  @Override
  void run(Settings settings, Store store) throws SQLException, CommandFailedException {
    var id = org == null ? null : orgId(store, org);
    var from = store.requestHistory().now().minus(since);
    var sums = store.usageReport().sum(by.toStoreGrouping(), id, from);
    rows()
        .print(
            sums.stream().map(this::row).toList(),
            by.name(),
            "requests",
            "prompt_tokens",
            "completion_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "cost_micro",
            "counted_refusals",
            "aborted");
  }

  private ObjectNode row(UsageReport.UsageRow sum) {
    return RowPrinter.row()
        .put(by.name(), sum.group())
        .put("requests", sum.requests())
        .put("prompt_tokens", sum.promptTokens())
        .put("completion_tokens", sum.completionTokens())
        .put("cached_tokens", sum.cachedTokens())
        .put("reasoning_tokens", sum.reasoningTokens())
        .put("cost_micro", sum.cost().value())
        .put("counted_refusals", sum.countedRefusals())
        .put("aborted", sum.aborted());
  }
}
