package dev.tollgate.core.ledger;

import java.time.Duration;

/**
 * Prefetch of the next window's leases: in the last minute of a day or month, creates the next
 * window's accounts for recently used scopes. Their leases then exist before the first request. The
 * times are spread by scope and node, so that neither one node nor all of them ask at once.
 */
final class NextWindowPrefetch {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final long LEAD_MAX_MILLIS = 50_000;
  private static final long LEAD_MIN_MILLIS = 10_000;
  static final Duration RECENT = Duration.ofMinutes(10);

  private final NodeLedger ledger;
  private final long jitter;

  /**
   * @param jitter a number that differs between nodes
   */
  NextWindowPrefetch(NodeLedger ledger, long jitter) {
    this.ledger = ledger;
    this.jitter = jitter;
  }

  /**
   * Creates the accounts that are due. To be called on every tick.
   *
   * @param millis the time of the ledger store's clock
   */
  void prefetch(long millis, long nowNanos) {
    if (DAY_MILLIS - Math.floorMod(millis, DAY_MILLIS) > LEAD_MAX_MILLIS) {
      return;
    }
    for (Account account : ledger.accounts()) {
      if (isDue(account, millis) && !account.isIdle(RECENT, nowNanos)) {
        Payer payer = account.payer();
        Window next = payer.window().next(account.scope().kind());
        ledger.prefetch(account, payer.in(next));
      }
    }
  }

  /** True if the account's window ends within the lead time of its scope. */
  private boolean isDue(Account account, long millis) {
    ScopeKind kind = account.scope().kind();
    if (kind == ScopeKind.ORG) {
      return false;
    }
    long left = account.payer().window().resetsAt(kind).toEpochMilli() - millis;
    return left > 0 && left <= leadMillis(account.scope());
  }

  private long leadMillis(Scope scope) {
    long hash = scope.id().hashCode() * 0x9E3779B97F4A7C15L + jitter;
    return LEAD_MIN_MILLIS + Math.floorMod(hash, LEAD_MAX_MILLIS - LEAD_MIN_MILLIS);
  }
}
