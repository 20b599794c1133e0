package dev.tollgate.core.ledger;

import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * Port that queries the balances of a key's scopes in the ledger store, for replies to clients and
 * never for admission.
 */
public interface AccountBalances {

  /**
   * Queries the balances of {@code key} in a window. Never blocks.
   *
   * @param loop the event loop of the answer
   * @param answer called once, as a task of the loop; possibly late
   */
  void query(ApiKey key, Window window, EventExecutor loop, Consumer<BalanceResult> answer);

  /** Result of a query. */
  sealed interface BalanceResult {
    record Known(AccountBalance balance) implements BalanceResult {}

    /** The store cannot be reached, or has neither this key nor its organization. */
    record Unavailable(String reason) implements BalanceResult {}
  }
}
