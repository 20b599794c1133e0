package dev.tollgate.server.wiring;

/** Why a gateway that had started ended in order, and the exit code that says so. */
public enum Ending {
  /** It was told to. */
  ASKED(0),
  /** Its database went back in time: to be started again, which sends what that lacks. */
  BOOKS_WENT_BACK(75),
  /** It was not heard of for so long that its leases were freed: to be started again. */
  GIVEN_UP(75),
  /** Another process runs on a copy of its data directory: only one of them may. */
  TAKEN_OVER(78);

  private final int exitCode;

  Ending(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
