package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests are dated by the ledger store's clock, however this machine's clock steps (D10). */
class LedgerClockTest {
  private static final long THEN = 1_795_000_000_000L;

  private long nanos = 77;
  private final LedgerClock clock = new LedgerClock(() -> nanos, THEN);

  @Test
  void theEstimateAdvancesByTheMonotonicClock() {
    pass(1_500);
    assertThat(clock.millis()).isEqualTo(THEN + 1_500);
    assertThat(clock.instant().toEpochMilli()).isEqualTo(THEN + 1_500);
  }

  @Test
  void anAnswerThatFitsDoesNotChangeTheEstimate() {
    long began = nanos;
    pass(10);
    clock.update(THEN + 3, began, nanos);
    clock.update(THEN + 10, began, nanos);
    assertThat(clock.millis()).isEqualTo(THEN + 10);
  }

  @Test
  void aDeviatingStoreClockIsFollowed() {
    for (long away : new long[] {-10 * 86_400_000L, 86_400_000L, 50, -50}) {
      long began = nanos;
      pass(10);
      long theirs = THEN + away;
      clock.update(theirs, began, nanos);
      assertThat(clock.millis()).isEqualTo(theirs + 5);
    }
  }

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
