package dev.tollgate.core.ledger;

import dev.tollgate.core.tenant.ApiKey;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/** Port to how a key stands in the books that all nodes share: for answers, never for decisions. */
public interface AccountBalances {

  /**
   * Asks how {@code key} stands in a window. Never blocks.
   *
   * @param loop where the answer is given
   * @param answer called once, as a task of the loop; it may come late
   */
  void query(ApiKey key, Window window, EventExecutor loop, Consumer<BalanceResult> answer);

  /** What the books say. */
  sealed interface BalanceResult {
    record Known(AccountBalance balance) implements BalanceResult {}

    /** Nobody can say at present, or the books know neither this key nor its payer. */
    record Unavailable(String reason) implements BalanceResult {}
  }
}
