package dev.tollgate.server.ledger;

/** Why a gateway that had started ended in order, and the exit code that says so. */
public enum ExitReason {
  /** It was told to. */
  REQUESTED(0),
  /** Its database went back in time: to be started again, which sends what that lacks. */
  LEDGER_ROLLED_BACK(75),
  /** It was not heard of for so long that its leases were freed: to be started again. */
  LEASES_RELEASED(75),
  /** Another process runs on a copy of its data directory: only one of them may. */
  TAKEN_OVER(78);

  private final int exitCode;

  ExitReason(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
