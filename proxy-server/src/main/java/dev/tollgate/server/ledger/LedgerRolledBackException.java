package dev.tollgate.server.ledger;

import java.io.IOException;

/** The books lack charges that this node's journal does not keep any more. */
public final class LedgerRolledBackException extends IOException {
  private static final long serialVersionUID = 1;

  LedgerRolledBackException(ReplayRange reach) {
    super(
        "the database went back in time, as by a backup that was restored: "
            + reach.missingSegments()
            + " To go on without them run: tollgate ledger rebase");
  }
}
