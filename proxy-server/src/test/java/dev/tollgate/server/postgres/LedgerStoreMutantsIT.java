package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The ledger tests notice if one of the database's functions is wrong in one place: each mutant
 * does something that the function as it is does not.
 */
@Execution(ExecutionMode.CONCURRENT)
class LedgerStoreMutantsIT {
  private static final int SCOPES = 60;
  private static final int ROUNDS = 60;
  private static final int ROUNDS_MOST = 2_000;

  /** Function with one change in its text. */
  enum Mutant {
    UNSORTED_SCOPE_LOCKS(
        "ledger_tick",
        "ORDER BY scope_id FOR NO KEY UPDATE",
        "ORDER BY array_position(scopes, scope_id) FOR NO KEY UPDATE"),
    SUMS_REPEATED_ROWS("ledger_settle", "fresh IS NULL OR b.request = ANY (fresh)", "true"),
    GRANTS_WHAT_WAS_GIVEN_UP("ledger_grant", "stated >= its_number", "false");

    final String function;
    final String right;
    final String wrong;

    Mutant(String function, String right, String wrong) {
      this.function = function;
      this.right = right;
      this.wrong = wrong;
    }

    void replaceIn(TestLedgerStore testStore) throws SQLException {
      String text =
          testStore
              .execute("SELECT pg_get_functiondef(?::regproc)", "tollgate." + function)
              .getFirst();
      assertThat(text).containsOnlyOnce(right);
      testStore.execute(text.replace(right, wrong));
    }
  }

  private TestLedgerStore testStore;
  private OrgId org;
  private KeyId key;
  private LeaseHolder a;
  private LeaseHolder b;

  @BeforeEach
  void begin() throws Exception {
    testStore = TestLedgerStore.open();
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000);
    a = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    b = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
  }

  @AfterEach
  void end() {
    testStore.close();
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Mutant mutant) throws Exception {
    assertThat(holds(mutant, ROUNDS)).as("as it is").isTrue();
    mutant.replaceIn(testStore);
    assertThat(holds(mutant, ROUNDS_MOST)).as("changed").isFalse();
  }

  private boolean holds(Mutant mutant, int rounds) throws Exception {
    return switch (mutant) {
      case UNSORTED_SCOPE_LOCKS -> nodesNeverWaitForEachOther(rounds);
      case SUMS_REPEATED_ROWS -> aChargeSentTwiceCountsOnce();
      case GRANTS_WHAT_WAS_GIVEN_UP -> aGrantThatComesLateLeavesNothingLeased();
    };
  }

  /** Two nodes send heartbeats with the same scopes in opposite orders. */
  private boolean nodesNeverWaitForEachOther(int rounds) throws Exception {
    List<LeaseStatement> forth = new ArrayList<>();
    for (int day = 0; day < SCOPES; day++) {
      Window window = Window.at(System.currentTimeMillis() + day * 86_400_000L);
      Payer payer = new Payer(org, key, window);
      forth.add(new LeaseStatement(payer, ScopeKind.KEY_DAY, MicroUsd.ZERO, 0, false));
    }
    var deadlocked = new AtomicBoolean();
    try (var threads = Executors.newFixedThreadPool(2)) {
      Future<?> one = threads.submit(() -> tick(a, forth, rounds, deadlocked));
      Future<?> other = threads.submit(() -> tick(b, forth.reversed(), rounds, deadlocked));
      one.get();
      other.get();
    }
    return !deadlocked.get();
  }

  private Void tick(
      LeaseHolder holder, List<LeaseStatement> said, int rounds, AtomicBoolean deadlocked)
      throws LedgerStoreException {
    try {
      for (int round = 1; round <= rounds && !deadlocked.get(); round++) {
        testStore.ledgerStore().tick(holder, round, said);
      }
    } catch (LedgerStoreException e) {
      assertThat(e).hasStackTraceContaining("deadlock detected");
      deadlocked.set(true);
    }
    return null;
  }

  private boolean aChargeSentTwiceCountsOnce() throws Exception {
    Settlement charge =
        TestLedgerStore.charge(RequestId.at(System.currentTimeMillis()), org, key, 1, 7, "{}");
    testStore.ledgerStore().settle(a, List.of(charge));
    testStore.ledgerStore().settle(a, List.of(charge));
    return testStore.store().ledgerAudit().runFull().isEmpty();
  }

  private boolean aGrantThatComesLateLeavesNothingLeased() throws Exception {
    Payer payer = new Payer(org, key, Window.at(System.currentTimeMillis()));
    var nothing = new LeaseStatement(payer, ScopeKind.ORG, MicroUsd.ZERO, 0, false);
    testStore.ledgerStore().tick(a, 2, List.of(nothing));
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(1), new MicroUsd(1));
    testStore.ledgerStore().grant(a, new GrantRequest(1, payer, List.of(want), true));
    return testStore.balance(org).leased() == 0;
  }
}
