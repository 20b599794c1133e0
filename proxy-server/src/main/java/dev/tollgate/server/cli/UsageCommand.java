package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.cli.option.PeriodOptions;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.ledger.UsageReport;
import dev.tollgate.server.postgres.ledger.UsageReport.GroupBy;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Command {@code tollgate usage}: prints sums of requests, tokens and cost, and the operator's cost
 * and margin, by day, model and key.
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
      split = ",",
      defaultValue = "day",
      description = "Dimensions of the sums, such as key,model,day (default: day, in UTC).")
  private Set<Grouping> by = Set.of();

  @Mixin private PeriodOptions period = new PeriodOptions();

  /** Dimension by which the sums are grouped. */
  enum Grouping {
    day,
    model,
    key;

    GroupBy toStoreGrouping() {
      return GroupBy.valueOf(name().toUpperCase(Locale.ROOT));
    }
  }

  @Override
  void run(Settings settings, Store store) throws SQLException, CommandFailedException {
    var id = org == null ? null : orgId(store, org);
    var asked = period.at(store.requestHistory().now());
    List<GroupBy> dimensions = by.stream().map(Grouping::toStoreGrouping).toList();
    var sums = store.usageReport().sum(dimensions, id, asked);
    rows().print(sums.stream().map(this::row).toList(), columns());
  }

  private String[] columns() {
    Stream<String> sums =
        Stream.of(
            "requests",
            "prompt_tokens",
            "completion_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "cost_micro",
            "operator_cost_micro",
            "margin_micro",
            "counted_refusals",
            "aborted");
    return Stream.concat(by.stream().map(Grouping::name), sums).toArray(String[]::new);
  }

  private ObjectNode row(UsageReport.UsageRow sum) {
    ObjectNode row = RowPrinter.row();
    int dimension = 0;
    for (Grouping each : by) {
      row.put(each.name(), sum.group().get(dimension++));
    }
    return row.put("requests", sum.requests())
        .put("prompt_tokens", sum.promptTokens())
        .put("completion_tokens", sum.completionTokens())
        .put("cached_tokens", sum.cachedTokens())
        .put("reasoning_tokens", sum.reasoningTokens())
        .put("cost_micro", sum.cost().value())
        .put("operator_cost_micro", sum.operatorCost().value())
        .put("margin_micro", sum.margin().value())
        .put("counted_refusals", sum.countedRefusals())
        .put("aborted", sum.aborted());
  }
}
