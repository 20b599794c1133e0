package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Phaser;
import org.junit.jupiter.api.Test;

/**
 * A waiter for the last connection's end is notified, whatever connections are accepted at that
 * moment.
 */
final class ConnectionCountTest {
  private static final int ROUNDS = 20_000;

  @Test
  void aConnectionThatIsRefusedWhileTheLastOneLeavesHidesNothing() throws Exception {
    ConnectionCount count = new ConnectionCount(1, 0);
    Phaser rounds = new Phaser(2);
    Thread late =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < ROUNDS; i++) {
                    awaitAdvance(rounds);
                    if (count.tryAcquire()) {
                      count.release();
                    }
                    awaitAdvance(rounds);
                  }
                });
    int missed = 0;
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(count.tryAcquire()).isTrue();
      var none = count.whenNone().toCompletableFuture();
      awaitAdvance(rounds);
      count.release();
      awaitAdvance(rounds);
      missed += none.isDone() ? 0 : 1;
    }
    late.join();
    assertThat(missed).isZero();
  }

  /** Spins: two threads that are woken would never meet. */
  private static void awaitAdvance(Phaser rounds) {
    int round = rounds.arrive();
    while (rounds.getPhase() == round) {
      Thread.onSpinWait();
    }
  }
}
