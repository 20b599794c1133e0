package dev.tollgate.core.ledger;

/** The clocks of one machine of a simulation: they stand still, or somebody sets them. */
final class SimulatedClocks {
  private final SimulatedWorld world;
  private final ClockDriftDetector watch;
  private long stoodNanos;
  private long setMillis;

  SimulatedClocks(SimulatedWorld world) {
    this.world = world;
    this.watch = new ClockDriftDetector(nanos(), wall());
  }

  /** The monotonic one. */
  long nanos() {
    return world.nanos - stoodNanos;
  }

  long wall() {
    return world.ledgerStore.millis() + setMillis;
  }

  /** The machine was suspended while so much time passed for all others. */
  void stood(long millis) {
    stoodNanos += millis * 1_000_000;
  }

  /** Somebody set the wall clock, forward or back. */
  void setBy(long millis) {
    setMillis += millis;
  }

  boolean diverged() {
    return watch.hasDrifted(nanos(), wall());
  }
}
