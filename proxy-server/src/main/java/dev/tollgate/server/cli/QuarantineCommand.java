package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine.QuarantinedCharge;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine.RetryResult;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate ledger quarantine}: lists, retries or drops charges that the ledger
 * store refused.
 */
@Command(
    name = "quarantine",
    description = "List, retry or drop charges that the ledger store refused.",
    mixinStandardHelpOptions = true,
    subcommands = {
      QuarantineCommand.ListQuarantinedCommand.class,
      QuarantineCommand.RetryQuarantinedCommand.class,
      QuarantineCommand.DropQuarantinedCommand.class
    })
final class QuarantineCommand extends CommandGroup {
  private static final int PAGE = 1_000;
  private static final String ACTOR = "command line";

  @Command(
      name = "list",
      description = "List refused charges with the reason, oldest first.",
      mixinStandardHelpOptions = true)
  static final class ListQuarantinedCommand extends TenantCommand {
    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "Largest number of rows (default: ${DEFAULT-VALUE}).")
    private int countMax = PAGE;

    @Override
    void run(Settings settings, Store store) throws SQLException {
      if (countMax < 1) {
        throw usage("--limit must be at least 1");
      }
      rows()
          .print(
              store.ledgerQuarantine().list(0, countMax).stream()
                  .map(ListQuarantinedCommand::row)
                  .toList(),
              "request_id",
              "cost_micro",
              "org_id",
              "key_id",
              "since",
              "reason");
    }

    private static ObjectNode row(QuarantinedCharge charge) {
      return RowPrinter.row()
          .put("request_id", charge.request())
          .put("org_id", charge.org())
          .put("key_id", charge.key())
          .put("cost_micro", charge.cost().value())
          .put("since", charge.since().toString())
          .put("reason", charge.reason());
    }
  }

  @Command(
      name = "retry",
      description = {
        "Settle charges after the cause of their refusal is removed.",
        "Charges that are still refused stay in quarantine; exit with 1 if there are any."
      },
      mixinStandardHelpOptions = true)
  static final class RetryQuarantinedCommand extends TenantCommand {
    @ArgGroup(multiplicity = "1")
    private Selection selection = new Selection();

    /** Command line arguments that select charges by request id, or all. */
    static final class Selection {
      @Parameters(
          paramLabel = "REQUEST",
          description = "Request id, as listed by tollgate ledger quarantine list.")
      private List<String> requests = new ArrayList<>();

      @Option(names = "--all", description = "All charges in quarantine.")
      private boolean all;
    }

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      LedgerQuarantine quarantine = store.ledgerQuarantine();
      List<ObjectNode> done = new ArrayList<>();
      if (selection.all) {
        long afterId = 0;
        List<QuarantinedCharge> page = quarantine.list(afterId, PAGE);
        while (!page.isEmpty()) {
          for (QuarantinedCharge charge : page) {
            done.add(retry(quarantine, charge.request()));
          }
          afterId = page.getLast().number();
          page = quarantine.list(afterId, PAGE);
        }
      } else {
        for (String request : selection.requests) {
          done.add(retry(quarantine, request));
        }
      }
      rows().print(done, "request_id", "booked", "cost_micro", "why");
      out().flush();
      long left = done.stream().filter(row -> !row.path("booked").asBoolean()).count();
      if (left > 0) {
        throw new CommandFailedException(left + " of " + done.size() + " charges were not settled");
      }
    }

    private static ObjectNode retry(LedgerQuarantine quarantine, String request)
        throws SQLException {
      ObjectNode row = RowPrinter.row().put("request_id", request);
      return switch (quarantine.retry(request, ACTOR)) {
        case RetryResult.Settled(MicroUsd cost) ->
            row.put("booked", true).put("cost_micro", cost.value()).putNull("why");
        case RetryResult.Refused(String why) ->
            row.put("booked", false).putNull("cost_micro").put("why", why);
        case RetryResult.Unknown _ ->
            row.put("booked", false).putNull("cost_micro").put("why", "it is not in quarantine");
      };
    }
  }

  @Command(
      name = "drop",
      description = {
        "Drop charges: their organizations do not pay for them.",
        "Each is kept in the table quarantine_decision."
      },
      mixinStandardHelpOptions = true)
  static final class DropQuarantinedCommand extends TenantCommand {
    @Parameters(
        arity = "1..*",
        paramLabel = "REQUEST",
        description = "Request id, as listed by tollgate ledger quarantine list.")
    private List<String> requests = new ArrayList<>();

    @Option(names = "--yes", description = "Confirm; without it nothing is done.")
    private boolean yes;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (!yes) {
        throw new CommandFailedException(
            "nothing was done: add --yes to drop " + String.join(", ", requests));
      }
      List<ObjectNode> done = new ArrayList<>();
      List<String> missing = new ArrayList<>();
      for (String request : requests) {
        Optional<MicroUsd> cost = store.ledgerQuarantine().drop(request, ACTOR);
        if (cost.isEmpty()) {
          missing.add(request);
        } else {
          done.add(
              RowPrinter.row().put("request_id", request).put("dropped_micro", cost.get().value()));
        }
      }
      rows().print(done, "request_id", "dropped_micro");
      out().flush();
      if (!missing.isEmpty()) {
        throw new CommandFailedException("not in quarantine: " + String.join(", ", missing));
      }
    }
  }
}
