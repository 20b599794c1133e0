package dev.tollgate.server.cli;

import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.Settings;
import picocli.CommandLine.Command;

/** Command {@code tollgate migrate}: migrates the database's schema to this version. */
@Command(
    name = "migrate",
    description = "Migrate the database's schema to this version.",
    mixinStandardHelpOptions = true)
final class MigrateCommand extends StoreBackedCommand {
  @Override
  void run(Settings settings, StoreOptions options) throws StoreException {
    try (var database = DatabaseAccess.forCommand(options)) {
      out().println("migrations applied: " + Migrations.run(database));
    }
  }
}
