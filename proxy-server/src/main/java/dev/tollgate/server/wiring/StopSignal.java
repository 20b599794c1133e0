package dev.tollgate.server.wiring;

import dev.tollgate.server.ops.Signals;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Latch that SIGTERM or SIGINT opens, for a command that runs until it is stopped and exits
 * normally.
 */
public final class StopSignal {
  private final CountDownLatch stop = new CountDownLatch(1);

  private StopSignal() {}

  /** Installs the signal handlers. */
  public static StopSignal listen() {
    var signal = new StopSignal();
    Signals.onStop(signal.stop::countDown);
    return signal;
  }

  /** Waits at most this long; returns true if the command must stop. */
  public boolean await(Duration atMost) {
    try {
      return stop.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
