package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.cli.option.CallerOptions;
import dev.tollgate.server.cli.option.LatestOptions;
import dev.tollgate.server.cli.option.TimePoint;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.ledger.RequestHistory;
import dev.tollgate.server.postgres.ledger.RequestHistory.Entry;
import dev.tollgate.server.postgres.ledger.RequestHistory.Filter;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.wiring.StopSignal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Command group {@code tollgate requests}: prints the request log, as a list, followed live or one
 * request with all that is known of it, and the counts of refusals that are not in it.
 */
@Command(
    name = "requests",
    description = "Show the requests of known keys, with outcome and cost.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RequestsCommand.ListRequestsCommand.class,
      ShowRequestCommand.class,
      RequestsCommand.TailRequestsCommand.class,
      RequestsCommand.RefusalsCommand.class
    })
final class RequestsCommand extends CommandGroup {
  private static final String[] COLUMNS = {
    "ts",
    "key_id",
    "route",
    "model",
    "status",
    "outcome",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "cost_micro",
    "total_ms",
    "request_id",
    "routing"
  };

  /** Base class of commands that print the requests selected by {@link RequestOptions}. */
  abstract static class FilteredRequestsCommand extends TenantCommand {
    @Mixin private RequestOptions options = new RequestOptions();

    final Filter filter(Store store) throws SQLException, CommandFailedException {
      String org = options.org();
      return options.filter(org == null ? null : orgId(store, org));
    }
  }

  @Command(
      name = "list",
      description = "List the latest requests, newest last; as JSON with all fields.",
      mixinStandardHelpOptions = true)
  static final class ListRequestsCommand extends FilteredRequestsCommand {
    @Option(
        names = "--since",
        paramLabel = TimePoint.LABEL,
        defaultValue = "1h",
        converter = TimePoint.Converter.class,
        description = "Begin of the period until now, such as 24h or 2026-11-20 (default: 1h).")
    private TimePoint since = TimePoint.now();

    @Mixin private LatestOptions latest = new LatestOptions();

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      RequestHistory history = store.requestHistory();
      Instant from = since.before(history.now());
      List<Entry> entries = history.latest(filter(store), from, latest.limit());
      rows().print(entries.stream().map(RequestsCommand::row).toList(), COLUMNS);
    }
  }

  @Command(
      name = "tail",
      description = "Show requests as they end, until SIGINT; as JSON one object per line.",
      mixinStandardHelpOptions = true)
  static final class TailRequestsCommand extends FilteredRequestsCommand {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    /**
     * Longest time from a row's timestamp, the begin of its transaction, until the row is visible.
     */
    private static final Duration WRITE_DELAY_MAX = Duration.ofSeconds(12);

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      StopSignal stop = StopSignal.listen();
      Filter filter = filter(store);
      RequestHistory history = store.requestHistory();
      Instant began = history.now();
      Set<RequestId> seen = new HashSet<>();
      EntryPrinter printer = new EntryPrinter(rows());
      out().flush();
      do {
        Instant after = later(began, history.now().minus(WRITE_DELAY_MAX));
        List<Entry> written = history.written(filter, after);
        written.stream().filter(each -> !seen.contains(each.id())).forEach(printer::print);
        out().flush();
        seen.clear();
        written.forEach(each -> seen.add(each.id()));
      } while (!stop.await(POLL_INTERVAL));
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }

  @Command(
      name = "refusals",
      description =
          "List refused requests that were counted instead of logged, by minute, newest last.",
      mixinStandardHelpOptions = true)
  static final class RefusalsCommand extends TenantCommand {
    @Mixin private CallerOptions caller = new CallerOptions();

    @Option(
        names = "--since",
        paramLabel = TimePoint.LABEL,
        defaultValue = "1h",
        converter = TimePoint.Converter.class,
        description = "Begin of the period until now, such as 24h or 2026-11-20 (default: 1h).")
    private TimePoint since = TimePoint.now();

    @Mixin private LatestOptions latest = new LatestOptions();

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      String org = caller.org();
      var filter = new Filter(org == null ? null : orgId(store, org), caller.key(), null);
      Instant from = since.before(store.requestHistory().now());
      List<RefusalCount> counts = store.refusalCounts().latest(filter, from, latest.limit());
      rows()
          .print(
              counts.stream().map(RequestsCommand::row).toList(),
              "minute",
              "org",
              "key_id",
              "code",
              "refusals");
    }
  }

  private static ObjectNode row(RefusalCount count) {
    return RowPrinter.row()
        .put("minute", Instant.ofEpochMilli(count.epochMillis()).toString())
        .put("org", count.org().toString())
        .put("key_id", count.key().value())
        .put("code", count.code())
        .put("refusals", count.refusals());
  }

  /** Printer of requests as they arrive; the table head is printed first, at once. */
  private record EntryPrinter(RowPrinter rows) {
    EntryPrinter {
      rows.printHead(COLUMNS);
    }

    void print(Entry entry) {
      rows.printLine(row(entry), COLUMNS);
    }
  }

  private static ObjectNode row(Entry entry) {
    ObjectNode row = RowPrinter.parsed(entry.line());
    if (!row.has("ts")) { // a charge of a failed node has no time; its request id contains one
      row.put("ts", Instant.ofEpochMilli(entry.id().epochMillis()).toString());
    }
    return row.put("settled", entry.how());
  }
}
