package dev.tollgate.server.ledger;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.NodeLedger;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.postgres.ledger.PostgresAccountBalances;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Asynchronous query of account balances in the store, on offloaded threads. */
public record StoreAccountBalances(
    PostgresAccountBalances balances, Offload offload, LeaseHolder holder, NodeLedger ledger)
    implements AccountBalances {
  /** Timeout of a query. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  @Override
  public void query(ApiKey key, Window window, EventExecutor loop, Consumer<BalanceResult> answer) {
    offload.run(
        loop,
        loop.ticker().nanoTime() + WAIT_MAX.toNanos(),
        () -> balances.find(key.id(), window, holder, kind -> ledger.held(key.id(), window, kind)),
        outcome -> answer.accept(answer(outcome)));
  }

  private static BalanceResult answer(Offload.Outcome<Optional<AccountBalance>> outcome) {
    return switch (outcome) {
      case Offload.Outcome.Done<Optional<AccountBalance>> done ->
          done.value()
              .<BalanceResult>map(BalanceResult.Known::new)
              .orElseGet(
                  () -> new BalanceResult.Unavailable("the key is not in the store any more"));
      case Offload.Outcome.Refused<Optional<AccountBalance>> refused ->
          new BalanceResult.Unavailable(refused.reason());
      case Offload.Outcome.Failed<Optional<AccountBalance>> failed ->
          new BalanceResult.Unavailable(failed.cause().toString());
    };
  }
}
