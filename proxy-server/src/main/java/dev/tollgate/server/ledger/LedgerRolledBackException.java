package dev.tollgate.server.ledger;

import java.io.IOException;

/**
 * Failure to start because the ledger store was rolled back and lacks charges that this node's
 * journal no longer keeps.
 */
public final class LedgerRolledBackException extends IOException {
  private static final long serialVersionUID = 1;

  LedgerRolledBackException(ReplayRange reach) {
    super(
        "the database was rolled back, for example by a restored backup: "
            + reach.missingSegments()
            + " To continue without them, run: tollgate ledger rebase");
  }
}
