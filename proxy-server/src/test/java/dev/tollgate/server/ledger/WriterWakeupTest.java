package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class WriterWakeupTest {
  private static final long HORIZON_NANOS = 2_000_000;

  private WriterWakeup wakeup = new WriterWakeup();

  @Test
  void anIdleWriterIsWokenByARecordWithoutAWaiter() throws Exception {
    assertThat(wakes(1, wakeup::signal)).isTrue();
  }

  @Test
  void anIdleWriterIsWokenByTheFirstWaiter() throws Exception {
    assertThat(wakes(1_000, wakeup::signalWaiting)).isTrue();
  }

  @Test
  void aPermanentWakeupWaitsForNoOther() throws Exception {
    assertThat(wakes(1_000, wakeup::wakePermanently)).isTrue();
  }

  /** The writer may have checked for a stop before the request, and parked after it. */
  @Test
  void aPermanentWakeupIsNotLostBeforeThePark() throws Exception {
    wakeup.wakePermanently();
    Thread writer =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 0; i < 20; i++) { // longer than a short park
                    wakeup.reset();
                    wakeup.await(false, 1_000, HORIZON_NANOS, () -> true);
                  }
                });
    assertThat(writer.join(Duration.ofSeconds(10))).isTrue();
  }

  /** A signal while the writer is about to park must not be lost. */
  @Test
  void noSignalIsLost() throws Exception {
    for (int i = 0; i < 200; i++) {
      wakeup = new WriterWakeup();
      CountDownLatch begun = new CountDownLatch(1);
      boolean[] queued = new boolean[1];
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    begun.countDown();
                    toSleep(1, queued);
                  });
      begun.await();
      synchronized (queued) {
        queued[0] = true;
      }
      wakeup.signalWaiting();
      assertThat(writer.join(Duration.ofSeconds(10))).isTrue();
    }
  }

  private boolean wakes(int worthwhile, Runnable signal) throws Exception {
    boolean[] queued = new boolean[1];
    CountDownLatch woken = new CountDownLatch(1);
    Thread.ofPlatform()
        .start(
            () -> {
              toSleep(worthwhile, queued);
              woken.countDown();
            });
    synchronized (queued) {
      queued[0] = true;
    }
    signal.run();
    return woken.await(10, TimeUnit.SECONDS);
  }

  private void toSleep(int worthwhile, boolean[] queued) {
    while (!isQueued(queued)) {
      wakeup.await(false, worthwhile, HORIZON_NANOS, () -> !isQueued(queued));
    }
  }

  private static boolean isQueued(boolean[] queued) {
    synchronized (queued) {
      return queued[0];
    }
  }
}
