package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.StoreException;
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

/** {@code tollgate ledger}: whether the money adds up, and what to do where it cannot. */
@Command(
    name = "ledger",
    description = "Look after the books.",
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
      description = "Sum the ledger anew and list what does not agree; exit 1 if there is any.",
      mixinStandardHelpOptions = true)
  static final class AuditLedgerCommand extends TenantCommand {
    @Option(
        names = "--full",
        description = "Read every charge that is stored, also those of days that were summed up.")
    private boolean full;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      List<Violation> violations = full ? store.ledgerAudit().runFull() : store.ledgerAudit().run();
      if (!violations.isEmpty()) {
        rows()
            .print(
                violations.stream().map(AuditLedgerCommand::row).toList(),
                "invariant",
                "scope",
                "what");
        out().flush();
        throw new CommandFailedException(violations.size() + " sums do not agree");
      }
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
      description = "List the nodes and what they hold of balances.",
      mixinStandardHelpOptions = true)
  static final class ListNodesCommand extends TenantCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException {
      rows()
          .print(
              store.ledgerNodes().list().stream().map(ListNodesCommand::row).toList(),
              "node",
              "state",
              "silent_s",
              "leased_micro",
              "committed_micro",
              "epoch");
    }

    private static ObjectNode row(LedgerNode node) {
      return RowPrinter.row()
          .put("node", node.id().toString())
          .put("epoch", node.epoch())
          .put("state", node.state())
          .put("silent_s", node.sinceHeartbeat().toSeconds())
          .put("leased_micro", node.leased().value())
          .put("committed_micro", node.committed().map(MicroUsd::value).orElse(null));
    }
  }

  @Command(
      name = "release",
      description = {
        "Free what a node holds that will not come back.",
        "It must have been silent for a minute. Charges that it made and that turn up later are"
            + " booked; they may then exceed a balance or limit."
      },
      mixinStandardHelpOptions = true)
  static final class ReleaseNodeCommand extends TenantCommand {
    private static final Duration UNRESPONSIVE_MIN = Duration.ofSeconds(60);

    @Parameters(paramLabel = "NODE", description = "Its id, as tollgate ledger nodes lists it.")
    private UUID node = new UUID(0, 0);

    @Option(names = "--yes", description = "Do it; without it nothing is done.")
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
                "node " + node + " was heard of within the last minute: stop it");
        case LedgerNodes.ReleaseResult.AlreadyClosed _ ->
            throw new CommandFailedException("node " + node + " holds nothing");
        case LedgerNodes.ReleaseResult.Unknown _ ->
            throw new CommandFailedException("there is no node " + node);
      }
    }
  }

  @Command(
      name = "rebase",
      description = {
        "Accept a database that went back in time further than this node's journal is kept.",
        "What it lacks and the journal does not keep stays uncharged; the rest is sent at the next"
            + " start. The gateway of this data directory must not run."
      },
      mixinStandardHelpOptions = true)
  static final class RebaseLedgerCommand extends StoreBackedCommand {
    @Option(names = "--yes", description = "Do it, instead of saying what would be done.")
    private boolean yes;

    @Override
    void run(Settings settings, StoreOptions options)
        throws StoreException, SQLException, CommandFailedException {
      Optional<String> missing = acceptRollback(settings, options);
      if (missing.isEmpty()) {
        out().println("nothing to accept: the journal keeps all that the database may lack");
        return;
      }
      out().println(missing.get());
      if (!yes) {
        out().flush();
        throw new CommandFailedException("nothing was changed; to accept that, repeat with --yes");
      }
      out().println("That is accepted and noted; what is kept is sent at the next start.");
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
