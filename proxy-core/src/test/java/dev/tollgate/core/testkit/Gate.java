package dev.tollgate.core.testkit;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Point in a script that waits until the test opens it; the test can wait for the script to arrive.
 */
final class Gate {
  private final String name;
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  Gate(String name) {
    this.name = name;
  }

  void open() {
    opened.countDown();
  }

  void pass(Duration within) throws InterruptedException {
    reached.countDown();
    await(opened, within, "gate '" + name + "' to be opened");
  }

  void awaitReached(Duration within) throws InterruptedException {
    await(reached, within, "a script to reach gate '" + name + "'");
  }

  private static void await(CountDownLatch latch, Duration within, String awaited)
      throws InterruptedException {
    if (!latch.await(within.toNanos(), NANOSECONDS)) {
      throw Deadline.in(within, awaited).missed();
    }
  }
}
