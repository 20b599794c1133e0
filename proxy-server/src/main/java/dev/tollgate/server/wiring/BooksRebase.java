package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.JournalReach;
import dev.tollgate.server.postgres.DataDirLock;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.StoreException;
import dev.tollgate.server.postgres.StoreOptions;
import dev.tollgate.server.settings.Settings;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What an operator does when the books went back further than the journal is kept: accepts that
 * they lack charges, so that the node starts. What is kept is still sent.
 */
public final class BooksRebase {
  private BooksRebase() {}

  /**
   * Looks, on a data directory that nobody uses, and accepts it if that is wanted; otherwise
   * nothing is changed, and a schema of an older version is refused.
   *
   * @return what the books may lack and the journal does not keep
   */
  public static Optional<String> run(
      Settings settings, StoreOptions options, boolean accept, String actor)
      throws StoreException, SQLException, StartException {
    try (var lock = DataDirLock.take(options.dataDir());
        Store store = accept ? Store.start(lock, options) : Store.asItIs(lock, options)) {
      var directory =
          JournalDirectory.open(
              options.dataDir(), JournalOptions.of(settings.ledger()), InstantSource.system());
      JournalReach reach = directory.reach(store.bank().marks().look(directory.node()));
      if (accept && reach.isShort()) {
        store.rebase(directory.node(), reach.kept(), actor);
      }
      return reach.isShort() ? Optional.of(reach.lack()) : Optional.empty();
    } catch (IOException | BankException e) {
      throw new StartException("ledger: " + e.getMessage(), e);
    }
  }
}
