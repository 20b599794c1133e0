package dev.tollgate.server.cli;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.KeyChanges;
import dev.tollgate.server.postgres.Organizations.StoredOrg;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.StoreException;
import dev.tollgate.server.postgres.StoreOptions;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.wiring.KeyAnnouncement;
import java.sql.SQLException;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * A verb that reads or changes organizations, keys or credit, and prints rows. What it changes is
 * told to gateways that share a Redis.
 */
abstract class TenantVerb extends StoreVerb {
  @Option(names = "-o", paramLabel = "table|json", description = "Form of the output.")
  private Output output = Output.table;

  /** How rows are printed. */
  enum Output {
    table,
    json
  }

  @Override
  final void run(Settings settings, StoreOptions options)
      throws StoreException, SQLException, Refused {
    try (KeyAnnouncement announcement = KeyAnnouncement.begin(settings.redis());
        Store store = Store.forCommand(options)) {
      if (announcement.isWanted()) {
        runAndAnnounce(settings, store, announcement);
      } else {
        run(settings, store);
      }
    }
  }

  private void runAndAnnounce(Settings settings, Store store, KeyAnnouncement announcement)
      throws SQLException, Refused {
    KeyChanges changes = store.keyChanges();
    changes.poll();
    run(settings, store);
    if (changes.poll().isNews()) {
      announcement.make().ifPresent(why -> err().println("gateways act within 5 seconds: " + why));
    }
  }

  /** Does the work on the open store. */
  abstract void run(Settings settings, Store store) throws SQLException, Refused;

  final Rows rows() {
    return new Rows(out(), output == Output.json);
  }

  static StoredOrg required(Optional<StoredOrg> org, String nameOrId) throws Refused {
    return org.orElseThrow(() -> new Refused("there is no organization " + nameOrId));
  }

  static OrgId orgId(Store store, String nameOrId) throws SQLException, Refused {
    return required(store.organizations().find(nameOrId), nameOrId).org().id();
  }
}
