package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of a payer's four scopes in the ledger store: limit, charges and leases of each.
 *
 * @param window the day, and with it the month, that the sums belong to
 * @param balances a scope that is missing has no limit and nothing spent
 */
public record AccountBalance(Window window, Map<ScopeKind, ScopeBalance> balances) {
  private static final ScopeBalance UNLIMITED =
      new ScopeBalance(null, MicroUsd.ZERO, MicroUsd.ZERO);

  public AccountBalance {
    balances = Map.copyOf(balances);
  }

  /**
   * Balance of one scope.
   *
   * @param limit the limit; for a balance, what was paid in; null means none
   * @param used what was charged
   * @param leased what the leases of all nodes hold, for running requests and the next ones
   */
  public record ScopeBalance(@Nullable MicroUsd limit, MicroUsd used, MicroUsd leased) {

    /** Returns what may still be reserved; null without a limit, negative if more was charged. */
    public @Nullable MicroUsd remaining() {
      return limit == null ? null : limit.minus(used).minus(leased);
    }
  }

  public ScopeBalance balance(ScopeKind kind) {
    return balances.getOrDefault(kind, UNLIMITED);
  }
}
