package dev.tollgate.core.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Retry advice of faults. */
class FaultTest {
  @Test
  void retryAfterOfRefusalsIsRandom() {
    Set<Integer> seconds = new TreeSet<>();
    for (int n = 0; n < 1_000; n++) {
      Fault fault = Fault.tryLater("Not now.");
      assertThat(fault.shouldRetry()).isTrue();
      seconds.add(fault.retryAfterSeconds());
    }

    assertThat(seconds).containsExactly(1, 2, 3, 4, 5);
  }
}
