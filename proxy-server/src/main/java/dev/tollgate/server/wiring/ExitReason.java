package dev.tollgate.server.wiring;

/** Reason of an orderly exit of a gateway that had started, with its exit code. */
public enum ExitReason {
  /** A shutdown was requested. */
  REQUESTED(0),
  /** The ledger store was rolled back: the next start sends what the store lacks. */
  LEDGER_ROLLED_BACK(75),
  /** The node sent no heartbeat for so long that its leases were released: to be started again. */
  LEASES_RELEASED(75),
  /** Another process runs on a copy of the data directory; only one may. */
  TAKEN_OVER(78);

  private final int exitCode;

  ExitReason(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
