package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.ledger.LedgerAudit.AuditResult;
import dev.tollgate.server.postgres.ledger.LedgerAudit.Extent;
import dev.tollgate.server.postgres.ledger.LedgerAudit.Violation;
import dev.tollgate.server.postgres.ledger.LedgerNodes;
import dev.tollgate.server.postgres.ledger.LedgerNodes.LedgerNode;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.wiring.AcceptRollback;
import dev.tollgate.server.wiring.StartException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate ledger}: audits the ledger, and repairs it on request of an
 * operator.
 */
@Command(
    name = "ledger",
    description = "Inspect and repair the ledger.",
    mixinStandardHelpOptions = true,
    subcommands = {
      LedgerCommand.AuditLedgerCommand.class,
      LedgerCommand.ListNodesCommand.class,
      LedgerCommand.ReleaseNodeCommand.class,
      QuarantineCommand.class,
      LedgerCommand.RebaseLedgerCommand.class
    })
final class LedgerCommand extends CommandGroup {
  @Command(
      name = "audit",
      description =
          "Recompute the sums of the ledger and list differences; exit with 1 if there are any, else"
              + " say what was looked at.",
      mixinStandardHelpOptions = true)
  static final class AuditLedgerCommand extends TenantCommand {
    @Option(
        names = "--full",
        description = "Read every stored charge, also those of days that are already summed up.")
    private boolean full;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      AuditResult result = store.ledgerAudit().audit(full);
      List<Violation> violations = result.violations();
      if (violations.isEmpty()) {
        rows().print(row(result.extent()));
        return;
      }
      rows()
          .print(
              violations.stream().map(AuditLedgerCommand::row).toList(),
              "invariant",
              "scope",
              "what");
      out().flush();
      throw new CommandFailedException(violations.size() + " sums do not agree");
    }

    private static ObjectNode row(Extent extent) {
      return RowPrinter.row()
          .put("differences", 0)
          .put("invariants", extent.invariants())
          .put("organizations", extent.organizations())
          .put("entries", extent.entries())
          .put("accounts", extent.accounts())
          .put("open_leases", extent.openLeases())
          .put("charges", extent.charges())
          .put("days", extent.days())
          .put("days_by_their_sums", extent.summedDays());
    }

    private static ObjectNode row(Violation violation) {
      return RowPrinter.row()
          .put("invariant", violation.invariant())
          .put("scope", violation.scope())
          .put("what", violation.what());
    }
  }

  @Command(
      name = "nodes",
      description = "List the nodes and the amounts that they lease.",
      mixinStandardHelpOptions = true)
  static final class ListNodesCommand extends TenantCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException {
      rows()
          .print(
              store.ledgerNodes().list().stream().map(ListNodesCommand::row).toList(),
              "node",
              "state",
              "unresponsive_s",
              "leased_micro",
              "committed_micro",
              "epoch");
    }

    private static ObjectNode row(LedgerNode node) {
      return RowPrinter.row()
          .put("node", node.id().toString())
          .put("epoch", node.epoch())
          .put("state", node.state())
          .put("unresponsive_s", node.sinceHeartbeat().toSeconds())
          .put("leased_micro", node.leased().value())
          .put("committed_micro", node.committed().map(MicroUsd::value).orElse(null));
    }
  }

  @Command(
      name = "release",
      description = {
        "Release the leases of a node that will not return.",
        "It must have sent no heartbeat for a minute. Charges that it sends later are"
            + " settled; they may then exceed a balance or limit."
      },
      mixinStandardHelpOptions = true)
  static final class ReleaseNodeCommand extends TenantCommand {
    private static final Duration UNRESPONSIVE_MIN = Duration.ofSeconds(60);

    @Parameters(
        paramLabel = "NODE",
        description = "Id of the node, as listed by tollgate ledger nodes.")
    private UUID node = new UUID(0, 0);

    @Option(names = "--yes", description = "Confirm; without it nothing is done.")
    private boolean yes;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      if (!yes) {
        throw new CommandFailedException(
            "nothing was done: add --yes to close the leases of node " + node);
      }
      switch (store.ledgerNodes().release(node, UNRESPONSIVE_MIN, "command line")) {
        case LedgerNodes.ReleaseResult.Released(MicroUsd freed) ->
            rows()
                .print(
                    RowPrinter.row()
                        .put("node", node.toString())
                        .put("freed_micro", freed.value()));
        case LedgerNodes.ReleaseResult.Alive _ ->
            throw new CommandFailedException(
                "node " + node + " sent a heartbeat within the last minute: stop it");
        case LedgerNodes.ReleaseResult.AlreadyClosed _ ->
            throw new CommandFailedException("node " + node + " has no leases");
        case LedgerNodes.ReleaseResult.Unknown _ ->
            throw new CommandFailedException("there is no node " + node);
      }
    }
  }

  @Command(
      name = "rebase",
      description = {
        "Accept a database that was rolled back further than this node's journal reaches.",
        "Charges that are in neither stay uncharged; the others are sent at the next"
            + " start. The gateway of this data directory must not run."
      },
      mixinStandardHelpOptions = true)
  static final class RebaseLedgerCommand extends StoreBackedCommand {
    @Option(
        names = "--yes",
        description = "Confirm; without it the missing charges are only shown.")
    private boolean yes;

    @Override
    void run(Settings settings, StoreOptions options)
        throws StoreException, SQLException, CommandFailedException {
      Optional<String> missing = acceptRollback(settings, options);
      if (missing.isEmpty()) {
        out().println("nothing to accept: the journal has all charges that the database may lack");
        return;
      }
      out().println(missing.get());
      if (!yes) {
        out().flush();
        throw new CommandFailedException("nothing was changed; to accept, repeat with --yes");
      }
      out()
          .println("Accepted and recorded; the charges in the journal are sent at the next start.");
    }

    private Optional<String> acceptRollback(Settings settings, StoreOptions options)
        throws StoreException, SQLException, CommandFailedException {
      try {
        return AcceptRollback.run(settings, options, yes, "command line");
      } catch (StartException e) {
        throw new CommandFailedException(String.valueOf(e.getMessage()));
      }
    }
  }
}
