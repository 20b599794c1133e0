package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The ledger store in PostgreSQL gives the same answers and sums as the one in memory, under any
 * schedule.
 */
@Execution(ExecutionMode.CONCURRENT)
class LedgerStoreContractIT {
  private static final int SCHEDULES = 12;
  private static final int STEPS = 150;

  @Test
  void bothStoresAgreeAfterEveryStepOfARandomSchedule() throws Exception {
    try (TestLedgerStore testStore = TestLedgerStore.open()) {
      Seeds.forEach(
          SCHEDULES,
          random -> {
            var schedule = LedgerStoreSchedule.begin(testStore, random);
            for (int step = 0; step < STEPS; step++) {
              String did = schedule.step();
              assertThat(schedule.shared()).as("sums after %s", did).isEqualTo(schedule.memory());
              assertThat(schedule.violations()).as("after %s", did).isEmpty();
            }
            schedule.end();
            assertThat(testStore.store().ledgerAudit().run()).isEmpty();
          });
    }
  }
}
