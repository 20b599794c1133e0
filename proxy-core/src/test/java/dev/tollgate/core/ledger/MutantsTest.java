package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Detection of mutants: each one fails the simulation within a few seeds. */
class MutantsTest {
  private static final int SEEDS = 60;
  private static final long FIRST = 3;

  @ParameterizedTest
  @EnumSource(Mutant.class)
  void isCaught(Mutant mutant) throws Exception {
    Random seeds = new Random(FIRST);
    for (int i = 0; i < SEEDS; i++) {
      try {
        new Simulation(new Random(seeds.nextLong()), mutant).run();
      } catch (AssertionError caught) {
        assertThat(caught).hasMessageContaining(mutant.complaint());
        return;
      }
    }
    fail("passes %d seeds: %s", SEEDS, mutant);
  }

  @Test
  void theLedgerAsItIsPassesTheSameSeedsAndServesRequests() throws Exception {
    Random seeds = new Random(FIRST);
    int served = 0;
    for (int i = 0; i < SEEDS; i++) {
      served += new Simulation(new Random(seeds.nextLong())).run();
    }
    assertThat(served).isGreaterThan(10 * SEEDS);
  }
}
