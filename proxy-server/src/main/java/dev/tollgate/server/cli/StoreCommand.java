package dev.tollgate.server.cli;

import dev.tollgate.server.explorer.RequestViewRebuild;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.backup.StoreExport;
import dev.tollgate.server.postgres.backup.StoreImport;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.Settings;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate store}: exports and imports the whole store as one file, encrypts
 * its secrets, or rebuilds its request view.
 */
@Command(
    name = "store",
    description =
        "Export or import the whole store as one file, encrypt its secrets, or rebuild its request"
            + " view.",
    mixinStandardHelpOptions = true,
    subcommands = {
      StoreCommand.ExportStoreCommand.class,
      StoreCommand.ImportStoreCommand.class,
      SealSecretsCommand.class,
      StoreCommand.RebuildViewCommand.class
    })
final class StoreCommand extends CommandGroup {
  @Command(
      name = "export",
      description = "Export the store to a file; the gateway may run meanwhile.",
      mixinStandardHelpOptions = true)
  static final class ExportStoreCommand extends StoreBackedCommand {
    @Parameters(paramLabel = "FILE", description = "A file that does not exist yet.")
    private Path file = Path.of("");

    @Override
    void run(Settings settings, StoreOptions options) throws StoreException {
      try (var database = DatabaseAccess.forCommand(options)) {
        StoreExport.write(database, file.toAbsolutePath())
            .tables()
            .forEach(t -> out().printf("exported %d rows of %s%n", t.rows(), t.table()));
      }
    }
  }

  @Command(
      name = "import",
      description = "Import an export into the store; the gateway must not run.",
      mixinStandardHelpOptions = true)
  static final class ImportStoreCommand extends StoreBackedCommand {
    @Parameters(paramLabel = "FILE", description = "A file written by store export.")
    private Path file = Path.of("");

    @Option(names = "--replace", description = "Replace the present contents of the store.")
    private boolean replace;

    @Override
    void run(Settings settings, StoreOptions options) throws StoreException {
      try (var database = DatabaseAccess.exclusive(options)) {
        StoreImport.read(database, file, replace)
            .tables()
            .forEach(t -> out().printf("imported %d rows of %s%n", t.rows(), t.table()));
      }
    }
  }

  @Command(
      name = "rebuild-view",
      description = "Make the request view anew from the request log; the gateway may run.",
      mixinStandardHelpOptions = true)
  static final class RebuildViewCommand extends StoreBackedCommand {
    @Option(
        names = "--from",
        paramLabel = "DAY",
        description = "The first day in UTC, such as 2026-11-20. Without it: the log's first.")
    private LocalDate from = LocalDate.EPOCH;

    @Override
    void run(Settings settings, StoreOptions options) throws StoreException, SQLException {
      try (Store store = Store.forCommand(options)) {
        new RequestViewRebuild(store.maintenanceSessions()).from(from, this::print);
      }
    }

    private void print(LocalDate day, int requests) {
      out().printf("rebuilt %s with %d requests%n", day, requests);
      out().flush();
    }
  }
}
