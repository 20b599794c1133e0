package dev.tollgate.core.ledger;

import dev.tollgate.core.tenant.ApiKey;
import java.util.List;

/**
 * The accounts that a key's requests of one day spend from: one for each of its scopes that has a
 * limit. Immutable; the accounts are shared with other purses.
 *
 * @param scopeKinds the kinds of its accounts as {@link ScopeKind#bit bits}
 * @param accounts in the order of {@link ScopeKind}
 */
record PayerAccounts(Payer payer, int scopeKinds, List<Account> accounts) {

  /** The scopes of a key that have a limit; its organization's balance is always one. */
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

  /** Whether one of its accounts was forgotten: another purse is needed. */
  boolean isStale() {
    for (int i = 0; i < accounts.size(); i++) {
      if (accounts.get(i).isForgotten()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes from every account or from none. Where a later account cannot give, the earlier ones lack
   * the amount for a moment: another request may then ask the books in vain for what is coming
   * back, which costs it a call and never money.
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
