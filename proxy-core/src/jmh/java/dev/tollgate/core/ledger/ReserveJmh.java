package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LeasePlanner.GrantCall;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer.Issued;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Benchmark of a reservation and its settlement from a lease, with a journal that writes nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReserveJmh {
  private static final RequestId REQUEST = RequestId.at(1_795_000_000_000L);
  private static final MicroUsd MUCH = new MicroUsd(1L << 50);
  private static final MicroUsd MOST = new MicroUsd(1_000);
  private static final MicroUsd COST = new MicroUsd(1);
  private static final byte[] ROW = new byte[600];

  private final Nowhere journal = new Nowhere();
  private final NodeLedger ledger = new NodeLedger(journal, LedgerRules.DEFAULT, () -> 0, () -> {});
  private final ApiKey key = TestCatalog.key();
  private long durable;

  @Setup
  public void lease() {
    LeasePlanner leasing = new LeasePlanner(ledger);
    leasing.begin(0);
    ledger.reserve(REQUEST, key, MOST, Runnable::run, answer -> {});
    for (GrantCall call : leasing.dueGrants(0)) {
      List<LeaseGrowth> all =
          call.request().items().stream()
              .map(want -> new LeaseGrowth(call.request().payer().scope(want.kind()), MUCH))
              .toList();
      leasing.granted(call, new Issued(all), 0);
    }
  }

  @Benchmark
  public @Nullable Object reserveAndSettle() {
    ledger.reserve(REQUEST, key, MOST, Runnable::run, this::reserved);
    return durable % 2 == 0 ? journal.begun : journal.settled;
  }

  private void reserved(Ledger.ReserveResult answer) {
    Reservation reservation = ((Ledger.ReserveResult.Reserved) answer).reservation();
    reservation.begin();
    reservation.settle(COST, Tokens.NONE, SettlementKind.COMPLETED, ROW, () -> durable++);
  }

  /** Keeps the last argument, so that the compiler cannot remove the call. */
  private static final class Nowhere implements Journal {
    @Nullable JournalRecord begun;
    @Nullable Settlement settled;

    @Override
    public boolean admits() {
      return true;
    }

    @Override
    public void write(JournalRecord record) {
      begun = record;
    }

    @Override
    public void settle(Settlement settlement, Executor loop, Runnable durable) {
      settled = settlement;
      durable.run();
    }

    @Override
    public List<Settlement> unsettled(int max) {
      return List.of();
    }

    @Override
    public void settled(int count) {}

    @Override
    public long backlog() {
      return 0;
    }
  }
}
