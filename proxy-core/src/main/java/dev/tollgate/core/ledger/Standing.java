package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a payer stands: its four sums as the books have them at one instant.
 *
 * @param window the day, and with it the month, that the sums belong to
 * @param sums what is not here is without limit and unspent
 */
public record Standing(Window window, Map<ScopeKind, Sum> sums) {
  private static final Sum UNTOUCHED = new Sum(null, MicroUsd.ZERO, MicroUsd.ZERO);

  public Standing {
    sums = Map.copyOf(sums);
  }

  /**
   * One sum.
   *
   * @param limit of a balance, what was paid in; null: there is none
   * @param used what was charged
   * @param leased what nodes hold of it, for requests that run and for the next ones
   */
  public record Sum(@Nullable MicroUsd limit, MicroUsd used, MicroUsd leased) {

    /** What may still be reserved; null without a limit, negative where more was charged. */
    public @Nullable MicroUsd remaining() {
      return limit == null ? null : limit.minus(used).minus(leased);
    }
  }

  public Sum sum(ScopeKind kind) {
    return sums.getOrDefault(kind, UNTOUCHED);
  }
}
