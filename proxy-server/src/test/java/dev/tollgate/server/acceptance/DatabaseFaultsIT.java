package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.DatabaseGate.Fault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Calls of the ledger store are cut off before and after their commit, delayed and frozen under
 * load: no client sees an error, and each charge is settled once.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class DatabaseFaultsIT {
  private static final Duration LATE = Duration.ofMillis(300);
  private static final Duration FROZEN = Duration.ofSeconds(3);

  @Test
  void everyChargeIsSettledOnceThroughDatabaseFaults() throws Exception {
    NodeFolder database = SharedNode.node().home();
    LedgerDatabase ledgerDatabase = LedgerDatabase.of(database);
    try (DatabaseGate gate = DatabaseGate.to(database);
        GatewayProcess node = SharedNode.through(gate)) {
      DatabaseGate.Armed firstGrant = gate.arm("ledger_grant", Fault.CUT_AFTER, LATE);
      try (ClosedLoopLoad load = ClosedLoopLoad.on(node, SharedNode.key(), "test/chat", 4)) {
        firstGrant.await();
        for (String function : List.of("ledger_settle", "ledger_tick")) {
          for (Fault fault : List.of(Fault.CUT_BEFORE, Fault.CUT_AFTER, Fault.DELAY)) {
            gate.hit(function, fault, LATE);
          }
        }
        gate.hit("ledger_settle", Fault.FREEZE, FROZEN);
        load.end();

        assertThat(load.answers()).allSatisfy(each -> assertThat(each.status()).isEqualTo(200));
        node.admin().awaitBooked();
        ledgerDatabase.awaitAll(load.reportedCosts());
      }
      node.terminate();
      assertThat(node.awaitExit()).isZero();
      assertThat(node.err().traces()).as("a database's faults are expected").isEmpty();
    }
    ledgerDatabase.requireAuditClean();
  }
}
