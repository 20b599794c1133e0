package dev.tollgate.server.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Sleeper that returns at once and advances its clock by the requested time. */
final class SteppedSleeper implements Sleeper {
  final List<Duration> taken = new ArrayList<>();
  Runnable during = () -> {};
  private long nanos;

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void pause(Duration atMost) {
    taken.add(atMost);
    nanos += atMost.toNanos();
    during.run();
  }

  @Override
  public void wake() {}
}
