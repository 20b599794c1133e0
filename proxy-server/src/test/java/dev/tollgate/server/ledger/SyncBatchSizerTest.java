package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SyncBatchSizerTest {
  private static final Duration LEAST = Duration.ofMillis(2);
  private static final Duration MOST = Duration.ofMillis(5);
  private static final int MANY = 10_000;

  private final SyncBatchSizer pace = new SyncBatchSizer(LEAST, MOST, 0);
  private long now;
  private long loop;

  @Test
  void aSlowNodeSyncsForEveryCharge() {
    for (int i = 0; i < 100; i++) {
      assertThat(after(Duration.ofMillis(10), 1, MANY)).isEqualTo(1);
    }
  }

  @Test
  void underLoadAsManyShareASyncAsComeWithinTheHorizon() {
    int wanted = 0;
    for (int i = 0; i < 1_000; i++) { // 20,000 a second
      wanted = after(Duration.ofNanos(500_000), 10, MANY);
    }
    assertThat(wanted).isBetween(38, 40);
  }

  @Test
  void withSlowLoopsChargesShareASyncUpToTheMaximum() {
    int wanted = 0;
    loop = Duration.ofMillis(3).toNanos();
    for (int i = 0; i < 1_000; i++) { // 20,000 a second
      wanted = after(Duration.ofNanos(500_000), 10, MANY);
    }
    assertThat(wanted).isBetween(58, 60);
    assertThat(pace.horizonNanos()).isBetween(2_990_000L, 3_000_000L);

    loop = Duration.ofSeconds(1).toNanos();
    for (int i = 0; i < 1_000; i++) {
      wanted = after(Duration.ofNanos(500_000), 10, MANY);
    }
    assertThat(wanted).isBetween(98, 100);
    assertThat(pace.horizonNanos()).isBetween(4_990_000L, 5_000_000L);

    loop = 0;
    for (int i = 0; i < 1_000; i++) {
      wanted = after(Duration.ofNanos(500_000), 10, MANY);
    }
    assertThat(wanted).isBetween(38, 41);
  }

  @Test
  void aSequentialClientNeverWaits() {
    for (int i = 0; i < 1_000; i++) { // 10,000 a second
      assertThat(after(Duration.ofNanos(100_000), 1, 1)).isEqualTo(1);
    }
  }

  @Test
  void noChargeWaitsForMoreThanTheConcurrentRequests() {
    int wanted = 0;
    for (int i = 0; i < 1_000; i++) {
      wanted = after(Duration.ofNanos(500_000), 10, i % 10 == 0 ? 3 : 0);
    }
    assertThat(wanted).as("the most of late").isEqualTo(2);
    assertThat(after(Duration.ofNanos(500_000), 10, 3)).isEqualTo(3);
    for (int i = 0; i < 100; i++) {
      wanted = after(Duration.ofNanos(500_000), 10, 0);
    }
    assertThat(wanted).as("and not for ever").isEqualTo(1);
  }

  @Test
  void loadThatEndedIsForgotten() {
    for (int i = 0; i < 1_000; i++) {
      after(Duration.ofNanos(500_000), 10, MANY);
    }
    int wanted = MANY;
    for (int naps = 0; naps < 60; naps++) {
      wanted = after(LEAST, 0, MANY);
    }
    assertThat(wanted).isEqualTo(1);
  }

  private int after(Duration pause, int charges, int underWay) {
    now += pause.toNanos();
    return pace.next(charges, underWay, loop, now);
  }
}
