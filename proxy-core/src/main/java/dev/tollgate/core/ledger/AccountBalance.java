package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a payer stands: its four sums as the books have them at one instant.
 *
 * @param window the day, and with it the month, that the sums belong to
 * @param balances what is not here is without limit and unspent
 */
public record AccountBalance(Window window, Map<ScopeKind, ScopeBalance> balances) {
  private static final ScopeBalance UNLIMITED =
      new ScopeBalance(null, MicroUsd.ZERO, MicroUsd.ZERO);

  public AccountBalance {
    balances = Map.copyOf(balances);
  }

  /**
   * One sum.
   *
   * @param limit of a balance, what was paid in; null: there is none
   * @param used what was charged
   * @param leased what nodes hold of it, for requests that run and for the next ones
   */
  public record ScopeBalance(@Nullable MicroUsd limit, MicroUsd used, MicroUsd leased) {

    /** What may still be reserved; null without a limit, negative where more was charged. */
    public @Nullable MicroUsd remaining() {
      return limit == null ? null : limit.minus(used).minus(leased);
    }
  }

  public ScopeBalance balance(ScopeKind kind) {
    return balances.getOrDefault(kind, UNLIMITED);
  }
}
