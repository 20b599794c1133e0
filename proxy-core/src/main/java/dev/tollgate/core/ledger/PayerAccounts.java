package dev.tollgate.core.ledger;

import dev.tollgate.core.tenant.ApiKey;
import java.util.List;

/**
 * Accounts that a key's requests of one day spend from: one for each of its scopes that has a
 * limit. Immutable; the accounts are shared with other keys.
 *
 * @param scopeKinds the kinds of the accounts as {@link ScopeKind#bit bits}
 * @param accounts in the order of {@link ScopeKind}
 */
record PayerAccounts(Payer payer, int scopeKinds, List<Account> accounts) {

  /**
   * Returns the kinds of a key's scopes that have a limit, as bits; the organization's balance
   * always has one.
   */
  static int limitedKinds(ApiKey key) {
    int scopeKinds = ScopeKind.ORG.bit();
    if (key.org().monthlyLimit() != null) {
      scopeKinds |= ScopeKind.ORG_MONTH.bit();
    }
    if (key.limits().dailyBudget() != null) {
      scopeKinds |= ScopeKind.KEY_DAY.bit();
    }
    if (key.limits().monthlyBudget() != null) {
      scopeKinds |= ScopeKind.KEY_MONTH.bit();
    }
    return scopeKinds;
  }

  /** True if one of the accounts was forgotten, so that these must be replaced. */
  boolean isStale() {
    for (int i = 0; i < accounts.size(); i++) {
      if (accounts.get(i).isForgotten()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes from every account or from none. If a later account is short, the earlier ones lack the
   * amount for a moment. A request that races with that may make an unnecessary grant call, which
   * is benign.
   */
  boolean take(long amount) {
    for (int i = 0; i < accounts.size(); i++) {
      if (!accounts.get(i).take(amount)) {
        for (int taken = 0; taken < i; taken++) {
          accounts.get(taken).putBack(amount);
        }
        return false;
      }
    }
    return true;
  }

  void putBack(long amount) {
    accounts.forEach(account -> account.putBack(amount));
  }

  void spend(long reserved, long cost) {
    accounts.forEach(account -> account.spend(reserved, cost));
  }
}
