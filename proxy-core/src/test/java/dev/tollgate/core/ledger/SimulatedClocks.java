package dev.tollgate.core.ledger;

/** Clocks of one machine of a simulation, which may be suspended or set. */
final class SimulatedClocks {
  private final SimulatedWorld world;
  private final ClockDriftDetector watch;
  private long suspendedNanos;
  private long setMillis;

  SimulatedClocks(SimulatedWorld world) {
    this.world = world;
    this.watch = new ClockDriftDetector(nanos(), wall());
  }

  /** Returns the monotonic clock. */
  long nanos() {
    return world.nanos - suspendedNanos;
  }

  long wall() {
    return world.ledgerStore.millis() + setMillis;
  }

  /** Suspends the machine's clocks for a time that passes for all others. */
  void suspendFor(long millis) {
    suspendedNanos += millis * 1_000_000;
  }

  /** Sets the wall clock forward or back. */
  void setBy(long millis) {
    setMillis += millis;
  }

  boolean diverged() {
    return watch.hasDrifted(nanos(), wall());
  }
}
