package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.ReplayRange;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.Settings;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Operation of {@code tollgate ledger}: an operator accepts charges lost by a rollback of the
 * ledger store, so that the node starts. It is for a rollback further back than the journal
 * reaches. Charges that the journal still has are sent.
 */
public final class AcceptRollback {
  private AcceptRollback() {}

  /**
   * Checks a data directory that no process uses, and accepts the missing charges if {@code accept}
   * is set. Otherwise nothing is changed, and a schema of an older version is refused.
   *
   * @return the charges that may be missing in the ledger store and in the journal
   */
  public static Optional<String> run(
      Settings settings, StoreOptions options, boolean accept, String actor)
      throws StoreException, SQLException, StartException {
    try (var lock = DataDirLock.acquire(options.dataDir());
        Store store =
            accept ? Store.start(lock, options) : Store.openWithoutMigrating(lock, options)) {
      var directory =
          JournalDirectory.open(
              options.dataDir(), JournalOptions.of(settings.ledger()), InstantSource.system());
      ReplayRange reach =
          directory.replayRange(store.ledgerStore().checkpoints().read(directory.node()));
      if (accept && reach.isIncomplete()) {
        store.acceptRollback(directory.node(), reach.availableFrom(), actor);
      }
      return reach.isIncomplete() ? Optional.of(reach.missingSegments()) : Optional.empty();
    } catch (IOException | LedgerStoreException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }
}
