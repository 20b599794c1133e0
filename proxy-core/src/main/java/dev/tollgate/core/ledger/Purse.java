package dev.tollgate.core.ledger;

import dev.tollgate.core.tenant.ApiKey;
import java.util.List;

/**
 * The accounts that a key's requests of one day spend from: one for each of its scopes that has a
 * limit. Immutable; the accounts are shared with other purses.
 *
 * @param held the kinds of its accounts as {@link ScopeKind#bit bits}
 * @param accounts in the order of {@link ScopeKind}
 */
record Purse(Payer payer, int held, List<Account> accounts) {

  /** The scopes of a key that have a limit; its organization's balance is always one. */
  static int limited(ApiKey key) {
    int held = ScopeKind.ORG.bit();
    if (key.org().monthlyLimit() != null) {
      held |= ScopeKind.ORG_MONTH.bit();
    }
    if (key.limits().dailyBudget() != null) {
      held |= ScopeKind.KEY_DAY.bit();
    }
    if (key.limits().monthlyBudget() != null) {
      held |= ScopeKind.KEY_MONTH.bit();
    }
    return held;
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
