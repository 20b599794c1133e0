package dev.tollgate.server.ledger;

import java.io.IOException;

/** Failure to read the journal because its content is not what was written. */
public final class DamagedJournalException extends IOException {
  private static final long serialVersionUID = 1;

  DamagedJournalException(String file, long at, String why) {
    super("the journal is damaged: " + file + " at byte " + at + ": " + why);
  }
}
