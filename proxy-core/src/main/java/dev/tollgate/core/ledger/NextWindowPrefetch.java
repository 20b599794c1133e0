package dev.tollgate.core.ledger;

import java.time.Duration;

/**
 * The last minute of a window: accounts of the next day and month are made for what was used of
 * late, so that their leases are there before the first request is. Not all at once, neither on one
 * node nor on many.
 */
final class NextWindowPrefetch {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final long LEAD_MAX_MILLIS = 50_000;
  private static final long LEAD_MIN_MILLIS = 10_000;
  static final Duration RECENT = Duration.ofMinutes(10);

  private final NodeLedger ledger;
  private final long jitter;

  /**
   * @param jitter another number on each node
   */
  NextWindowPrefetch(NodeLedger ledger, long jitter) {
    this.ledger = ledger;
    this.jitter = jitter;
  }

  /** To be called often; {@code millis} is the time by the books' clock. */
  void prefetch(long millis, long nowNanos) {
    if (DAY_MILLIS - Math.floorMod(millis, DAY_MILLIS) > LEAD_MAX_MILLIS) {
      return;
    }
    for (Account account : ledger.accounts()) {
      if (isDue(account, millis) && !account.isIdle(RECENT, nowNanos)) {
        Payer payer = account.payer();
        Window next = payer.window().next(account.scope().kind());
        ledger.prefetch(account, new Payer(payer.org(), payer.key(), next));
      }
    }
  }

  /** Whether its window ends so soon that its turn has come. */
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
