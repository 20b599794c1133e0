package dev.tollgate.server.ledger;

import java.io.IOException;

/** What the journal holds is not what was written: nothing may be built on it. */
public final class DamagedJournalException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedJournalException(String file, long at, String why) {
    super("the journal is damaged: " + file + " at byte " + at + ": " + why);
  }
}
