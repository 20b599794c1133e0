package dev.tollgate.core.testkit;

import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/** Account balances whose answers the test gives. */
public final class ScriptedAccountBalances implements AccountBalances {
  private final Queue<Query> queries = new ArrayDeque<>();

  private record Query(Window window, EventExecutor loop, Consumer<BalanceResult> answer) {}

  @Override
  public void query(ApiKey key, Window window, EventExecutor loop, Consumer<BalanceResult> answer) {
    queries.add(new Query(window, loop, answer));
  }

  /** Answers the oldest query. */
  public void respond(Map<ScopeKind, AccountBalance.ScopeBalance> sums) {
    Query query = queries.remove();
    answer(query, new BalanceResult.Known(new AccountBalance(query.window(), sums)));
  }

  /** Answers the oldest query as unavailable. */
  public void fail() {
    answer(queries.remove(), new BalanceResult.Unavailable("the store is down"));
  }

  private static void answer(Query query, BalanceResult answer) {
    query.loop().execute(() -> query.answer().accept(answer));
  }

  public int unanswered() {
    return queries.size();
  }
}
