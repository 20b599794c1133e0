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
      new ScopeBalance(null, MicroUsd.ZERO, MicroUsd.ZERO, MicroUsd.ZERO, MicroUsd.ZERO);

  public AccountBalance {
    balances = Map.copyOf(balances);
  }

  /**
   * Balance of one scope.
   *
   * @param limit the limit; for a balance, what was paid in; null means none
   * @param used what was charged
   * @param leased what the leases of all nodes hold, for running requests and the next ones
   * @param running the part of it that running requests of this node have reserved
   * @param settling the part of it that this node has charged and not settled yet
   */
  public record ScopeBalance(
      @Nullable MicroUsd limit,
      MicroUsd used,
      MicroUsd leased,
      MicroUsd running,
      MicroUsd settling) {

    /** Returns the balance, given what the store has of this node's lease and what the node has. */
    public static ScopeBalance of(
        @Nullable MicroUsd limit,
        MicroUsd used,
        MicroUsd leased,
        MicroUsd leasedHere,
        HeldHere held) {
      MicroUsd charged = leasedHere.minus(held.idle()).minus(held.running());
      MicroUsd settling = charged.compareTo(MicroUsd.ZERO) > 0 ? charged : MicroUsd.ZERO;
      return new ScopeBalance(limit, used, leased, held.running(), settling);
    }

    /** Returns what may still be reserved; null without a limit, negative if more was charged. */
    public @Nullable MicroUsd remaining() {
      return limit == null ? null : limit.minus(used).minus(leased);
    }
  }

  /**
   * Money of a scope in this node's lease.
   *
   * @param idle what is left for the next requests
   * @param running what running requests have reserved
   */
  public record HeldHere(MicroUsd idle, MicroUsd running) {
    public static final HeldHere NOTHING = new HeldHere(MicroUsd.ZERO, MicroUsd.ZERO);
  }

  public ScopeBalance balance(ScopeKind kind) {
    return balances.getOrDefault(kind, UNLIMITED);
  }
}
