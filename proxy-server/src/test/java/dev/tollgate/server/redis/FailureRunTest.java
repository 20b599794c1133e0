package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Failures in a row: one stall is one failure, however many calls waited for it. */
class FailureRunTest {
  private static final Duration TIMEOUT = Duration.ofMillis(50);

  @Test
  void timeoutsOfOneStallCountOnce() {
    assertThat(after(LongStream.range(0, 50)).isFull()).isFalse();
    assertThat(after(LongStream.range(0, 100)).isFull()).as("two stalls").isFalse();
    assertThat(after(LongStream.range(0, 101)).isFull()).as("the third one begins").isTrue();
  }

  @Test
  void aCallThatWasSentEarlierIsOfTheSameStall() {
    assertThat(after(LongStream.of(0, 50, 40, 30, 99)).isFull()).isFalse();
  }

  @Test
  void errorsOfRedisCountEach() {
    FailureRun two = FailureRun.NONE.withRefusal().withRefusal();
    assertThat(two.isFull()).isFalse();
    assertThat(two.withRefusal().isFull()).isTrue();
    assertThat(two.withTimeout(-7, TIMEOUT).isFull()).isTrue();
  }

  private static FailureRun after(LongStream sentMillis) {
    FailureRun run = FailureRun.NONE;
    for (long sent : sentMillis.toArray()) {
      run = run.withTimeout(Duration.ofMillis(sent).toNanos(), TIMEOUT);
    }
    return run;
  }
}
