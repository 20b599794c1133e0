package dev.tollgate.server.cli;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.cli.output.OutputFormat;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import dev.tollgate.server.postgres.tenants.Organizations.StoredOrg;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.wiring.KeyChangeNotification;
import java.sql.SQLException;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * Base class of CLI commands that read or change rows of the store and print them. Changes of
 * organizations and keys are announced to gateways that share a Redis.
 */
abstract class TenantCommand extends StoreBackedCommand {
  @Option(names = "-o", paramLabel = OutputFormat.NAMES, description = "Output format.")
  private OutputFormat output = OutputFormat.table;

  @Override
  final void run(Settings settings, StoreOptions options)
      throws StoreException, SQLException, CommandFailedException {
    try (KeyChangeNotification notification = KeyChangeNotification.open(settings.redis());
        Store store = Store.forCommand(options)) {
      if (notification.isEnabled()) {
        runAndNotify(settings, store, notification);
      } else {
        run(settings, store);
      }
    }
  }

  private void runAndNotify(Settings settings, Store store, KeyChangeNotification notification)
      throws SQLException, CommandFailedException {
    KeyChanges changes = store.keyChanges();
    changes.poll();
    run(settings, store);
    if (changes.poll().hasChanges()) {
      notification
          .publish()
          .ifPresent(why -> err().println("gateways act within 5 seconds: " + why));
    }
  }

  /** Runs the command on the open store. */
  abstract void run(Settings settings, Store store) throws SQLException, CommandFailedException;

  final OutputFormat format() {
    return output;
  }

  final RowPrinter rows() {
    return new RowPrinter(out(), output);
  }

  static StoredOrg required(Optional<StoredOrg> org, String nameOrId)
      throws CommandFailedException {
    return org.orElseThrow(
        () -> new CommandFailedException("there is no organization " + nameOrId));
  }

  /** Returns the command line's access to an organization. */
  static OrgAccess access(Store store, String nameOrId)
      throws SQLException, CommandFailedException {
    return OrgAccess.of(store.pool(), Caller.cli(), orgId(store, nameOrId));
  }

  /** Returns the service of keys; the caller sees to the announcement of changes. */
  static KeyService keys(Settings settings, Store store) {
    return new KeyService(
        store.pool(), settings::limits, () -> settings.models().keySet(), () -> {});
  }

  static OrgId orgId(Store store, String nameOrId) throws SQLException, CommandFailedException {
    return required(store.organizations().find(nameOrId), nameOrId).org().id();
  }
}
