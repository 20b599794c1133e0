package dev.tollgate.server.ops;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** SIGTERM and SIGINT for a command that runs until it is told to stop, and then ends well. */
public final class StopSignal {
  private final CountDownLatch stop = new CountDownLatch(1);

  private StopSignal() {}

  /** Listens from now on. */
  public static StopSignal listen() {
    var signal = new StopSignal();
    Signals.onStop(signal.stop::countDown);
    return signal;
  }

  /** Waits; true when it is time to stop. */
  public boolean await(Duration atMost) {
    try {
      return stop.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
