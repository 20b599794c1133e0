package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Many nodes at once on the same few scopes: no deadlock comes through, and every sum is exact. */
class BankRaceIT {
  private static final int THREADS = 8;
  private static final int ROUNDS = 25;

  private final List<OrgId> orgs = new ArrayList<>();
  private final List<KeyId> keys = new ArrayList<>();

  @Test
  void nodesThatGrantChargeAndReturnAtOnceNeitherDeadlockNorMiscount() throws Exception {
    try (TestBooks books = TestBooks.open();
        var threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < 4; i++) {
        orgs.add(books.newOrg());
        keys.add(books.newKey(orgs.getLast()));
        books.fund(orgs.getLast(), 1_000_000);
        books.limitDay(keys.getLast(), 500_000L);
      }
      List<Callable<long[]>> nodes = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        nodes.add(() -> spend(books.bank()));
      }
      long[] spent = new long[orgs.size()];
      for (Future<long[]> node : threads.invokeAll(nodes)) {
        long[] its = node.get();
        for (int i = 0; i < spent.length; i++) {
          spent[i] += its[i];
        }
      }
      for (int i = 0; i < spent.length; i++) {
        assertThat(books.balance(orgs.get(i)).used()).isEqualTo(spent[i]);
        assertThat(books.balance(orgs.get(i)).leased()).isZero();
      }
      assertThat(books.store().ledgerAudit().run()).isEmpty();
    }
  }

  /** One node's life; returns what it charged each organization. */
  private long[] spend(PostgresBank bank) throws Exception {
    Random random = new Random();
    long[] spent = new long[orgs.size()];
    Holder holder = bank.open(UUID.randomUUID(), UUID.randomUUID());
    List<Settlement> before = List.of();
    for (int round = 0; round < ROUNDS; round++) {
      Window window = Window.at(System.currentTimeMillis());
      int payer = random.nextInt(orgs.size());
      Payer its = new Payer(orgs.get(payer), keys.get(payer), window);
      var answer = bank.grant(holder, ask(2 * round + 1, its));
      assertThat(answer).isInstanceOf(GrantAnswer.Given.class);

      List<Settlement> batch = new ArrayList<>(before);
      before = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int of = random.nextInt(orgs.size());
        int cost = random.nextInt(30);
        RequestId request = RequestId.at(System.currentTimeMillis());
        before.add(TestBooks.charge(request, orgs.get(of), keys.get(of), 15, cost, "{}"));
        spent[of] += cost;
      }
      batch.addAll(before);
      bank.settle(holder, batch);
      bank.tick(
          holder, 2 * round + 2, List.of(state(its, ScopeKind.ORG), state(its, ScopeKind.KEY_DAY)));
    }
    bank.close(holder);
    return spent;
  }

  private static Want want(ScopeKind kind) {
    return new Want(kind, new MicroUsd(100), new MicroUsd(1_000));
  }

  private static Ask ask(long number, Payer payer) {
    return new Ask(number, payer, List.of(want(ScopeKind.KEY_DAY), want(ScopeKind.ORG)), true);
  }

  private static Statement state(Payer payer, ScopeKind kind) {
    return new Statement(payer, kind, new MicroUsd(50), 0, false);
  }
}
