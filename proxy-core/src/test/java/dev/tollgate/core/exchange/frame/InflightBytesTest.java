package dev.tollgate.core.exchange.frame;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What arrays take of a heap of regions is what the budget counts. */
class InflightBytesTest {
  private static final int MIB = 1024 * 1024;
  private static final int HEADER = 16;

  private final InflightBytes budget = new InflightBytes(4 * MIB, MIB);

  @Test
  void arraysThatShareARegionCountAsTheyAre() {
    assertThat(taken(0)).isZero();
    assertThat(taken(1_000)).isEqualTo(1_000);
    assertThat(taken(MIB / 2 - HEADER)).isEqualTo(MIB / 2 - HEADER);
  }

  @Test
  void aLargerOneTakesWholeRegions() {
    assertThat(taken(MIB / 2)).isEqualTo(MIB);
    assertThat(taken(MIB - HEADER)).isEqualTo(MIB);
    assertThat(taken(MIB)).isEqualTo(2 * MIB);
    assertThat(taken(3 * MIB + 1)).isEqualTo(4 * MIB);
    assertThat(budget.tryAcquire(4 * MIB)).isEmpty();
  }

  @Test
  void onAHeapWithoutRegionsEachCountsAsItIs() {
    var plain = new InflightBytes(4 * MIB);
    assertThat(plain.tryAcquire(4 * MIB)).isPresent();
    assertThat(plain.held()).isEqualTo(4 * MIB);
  }

  @Test
  void whatGrowsAndShrinksIsGivenBackWhole() {
    InflightBytes.Permit permit = budget.tryAcquire(1_000).orElseThrow();
    assertThat(permit.resize(MIB)).isTrue();
    assertThat(budget.held()).isEqualTo(2 * MIB);
    assertThat(permit.resize(4 * MIB)).isFalse();
    assertThat(budget.held()).isEqualTo(2 * MIB);
    assertThat(permit.resize(MIB / 2)).isTrue();
    assertThat(budget.held()).isEqualTo(MIB);
    permit.end();
    assertThat(budget.held()).isZero();
  }

  private long taken(long bytes) {
    InflightBytes.Permit permit = budget.tryAcquire(bytes).orElseThrow();
    long held = budget.held();
    permit.end();
    return held;
  }
}
