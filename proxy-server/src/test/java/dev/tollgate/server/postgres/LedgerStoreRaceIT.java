package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many nodes at once on the same few scopes: no deadlock surfaces, and every sum is exact. */
@Execution(ExecutionMode.CONCURRENT)
class LedgerStoreRaceIT {
  private static final int THREADS = 8;
  private static final int ROUNDS = 25;

  private final List<OrgId> orgs = new ArrayList<>();
  private final List<KeyId> keys = new ArrayList<>();

  @Test
  void nodesThatGrantChargeAndReturnAtOnceNeitherDeadlockNorMiscount() throws Exception {
    try (TestLedgerStore testStore = TestLedgerStore.open();
        var threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < 4; i++) {
        orgs.add(testStore.newOrg());
        keys.add(testStore.newKey(orgs.getLast()));
        testStore.fund(orgs.getLast(), 1_000_000);
        testStore.limitDay(keys.getLast(), 500_000L);
      }
      List<Callable<long[]>> nodes = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        nodes.add(() -> spend(testStore.ledgerStore()));
      }
      long[] spent = new long[orgs.size()];
      for (Future<long[]> node : threads.invokeAll(nodes)) {
        long[] its = node.get();
        for (int i = 0; i < spent.length; i++) {
          spent[i] += its[i];
        }
      }
      for (int i = 0; i < spent.length; i++) {
        assertThat(testStore.balance(orgs.get(i)).used()).isEqualTo(spent[i]);
        assertThat(testStore.balance(orgs.get(i)).leased()).isZero();
      }
      assertThat(testStore.store().ledgerAudit().run()).isEmpty();
    }
  }

  /** Runs one epoch of a node; returns the amounts that it charged each organization. */
  private long[] spend(PostgresLedgerStore ledgerStore) throws Exception {
    Random random = new Random();
    long[] spent = new long[orgs.size()];
    LeaseHolder holder = ledgerStore.open(UUID.randomUUID(), UUID.randomUUID());
    List<Settlement> before = List.of();
    for (int round = 0; round < ROUNDS; round++) {
      Window window = Window.at(System.currentTimeMillis());
      int payer = random.nextInt(orgs.size());
      Payer its = new Payer(orgs.get(payer), keys.get(payer), window);
      var answer = ledgerStore.grant(holder, ask(2 * round + 1, its));
      assertThat(answer).isInstanceOf(GrantAnswer.Issued.class);

      List<Settlement> batch = new ArrayList<>(before);
      before = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int of = random.nextInt(orgs.size());
        int cost = random.nextInt(30);
        RequestId request = RequestId.at(System.currentTimeMillis());
        before.add(TestLedgerStore.charge(request, orgs.get(of), keys.get(of), 15, cost, "{}"));
        spent[of] += cost;
      }
      batch.addAll(before);
      ledgerStore.settle(holder, batch);
      ledgerStore.tick(
          holder, 2 * round + 2, List.of(state(its, ScopeKind.ORG), state(its, ScopeKind.KEY_DAY)));
    }
    ledgerStore.close(holder);
    return spent;
  }

  private static GrantItem want(ScopeKind kind) {
    return new GrantItem(kind, new MicroUsd(100), new MicroUsd(1_000));
  }

  private static GrantRequest ask(long number, Payer payer) {
    return new GrantRequest(
        number, payer, List.of(want(ScopeKind.KEY_DAY), want(ScopeKind.ORG)), true);
  }

  private static LeaseStatement state(Payer payer, ScopeKind kind) {
    return new LeaseStatement(payer, kind, new MicroUsd(50), 0, false);
  }
}
