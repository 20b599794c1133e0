package dev.tollgate.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Draws and returns with a clock that only the test moves. */
final class RefusalBucketTest {
  private static final long TOKEN = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int CAPACITY = 40;

  private long now = -TimeUnit.SECONDS.toNanos(3); // a monotonic clock may be below zero
  private final RefusalBucket bucket = new RefusalBucket(now);

  @Test
  void aFullBucketHasItsCapacityAndRefillsEvenly() {
    assertThat(drawAll()).isEqualTo(CAPACITY);
    now += TOKEN - 1;
    assertThat(drawAll()).isZero();
    now += 1;
    assertThat(drawAll()).isEqualTo(1);
    now += 10 * TOKEN;
    assertThat(drawAll()).isEqualTo(10);
  }

  @Test
  void noTimeFillsItBeyondItsCapacity() {
    drawAll();
    now += TimeUnit.DAYS.toNanos(1);
    assertThat(drawAll()).isEqualTo(CAPACITY);
  }

  @Test
  void aTokenThatIsGivenBackCanBeDrawnOnce() {
    drawAll();
    bucket.giveBack(TOKEN);
    assertThat(drawAll()).isEqualTo(1);
  }

  @Test
  void aFullBucketStaysFull() {
    bucket.tryDraw(TOKEN, CAPACITY, now);
    now += TOKEN;
    bucket.giveBack(TOKEN);
    assertThat(drawAll()).isEqualTo(CAPACITY);
  }

  @Test
  void anotherRateActsAtOnce() {
    assertThat(drawAll()).isEqualTo(CAPACITY);
    long faster = TOKEN / 10;
    int drawn = 0;
    while (bucket.tryDraw(faster, 10 * CAPACITY + 5, now)) {
      drawn++;
    }
    assertThat(drawn).isEqualTo(5);
  }

  private int drawAll() {
    int drawn = 0;
    while (bucket.tryDraw(TOKEN, CAPACITY, now)) {
      drawn++;
    }
    return drawn;
  }
}
