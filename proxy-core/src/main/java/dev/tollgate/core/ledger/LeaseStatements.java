package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.Recall;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Selector of the lease statements that a node sends in portions with its heartbeats. They return
 * what is recalled or idle, close leases, and restate the base after a failed call. After a
 * heartbeat with statements failed, the next one carries none and those after it fewer, so that one
 * statement that the ledger store rejects stops neither the node nor the other leases. Confined to
 * the ledger's thread.
 */
final class LeaseStatements {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseStatements.class);
  private static final int BATCH_MAX = 500;
  private static final Duration REFILL_INTERVAL = Duration.ofSeconds(1);

  /** Time after which unused accounts of windows are removed; prefetching needs the recent ones. */
  private static final Duration WINDOW_RETENTION = NextWindowPrefetch.RECENT;

  private static final Duration CLEANUP_INTERVAL = Duration.ofMinutes(1);

  private final NodeLedger ledger;
  private final Map<Scope, Long> recalls = new HashMap<>();
  private List<Account> pending = List.of();
  private List<Account> recallPending = List.of();
  private @Nullable Long cleanedNanos;
  private long rounds;
  private int batchMax = BATCH_MAX;
  private boolean storeResponsive = true;
  private boolean sendEmpty;
  private boolean urgent;
  private @Nullable Account suspect;

  LeaseStatements(NodeLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * True if statements should not wait for the next tick: the last ones may have made the heartbeat
   * fail, or recalled money that could not be returned with them can be now.
   */
  boolean areUrgent() {
    return urgent || recallPending.stream().anyMatch(Account::mayState);
  }

  /**
   * Returns the statements for the next heartbeat.
   *
   * @param retained the earliest day of which requests may still arrive
   */
  List<LeaseStatement> next(Duration sinceLast, Window retained, long nowNanos) {
    urgent = false;
    List<Account> due = new ArrayList<>();
    List<Account> untouched = new ArrayList<>();
    recallPending = new ArrayList<>();
    int leases = 0;
    for (Account account : ledger.accounts()) {
      account.observe(sinceLast, nowNanos);
      leases += account.holdsMoney() ? 1 : 0;
      account.recallPending(recalls.containsKey(account.scope()) && !account.mayState());
      if (account.isRecallPending()) {
        recallPending.add(account);
      }
      if (account.isUntouched() && isUnused(account, nowNanos)) {
        untouched.add(account);
      } else if (!sendEmpty && isDue(account, retained, nowNanos)) {
        due.add(account);
      }
    }
    ledger.setLeases(leases);
    untouched.forEach(ledger::forget);
    cleanUp(retained, nowNanos);
    rounds++;
    pending = select(due);
    return pending.stream().map(account -> statement(account, retained, nowNanos)).toList();
  }

  private void cleanUp(Window retained, long nowNanos) {
    if (cleanedNanos == null || nowNanos - cleanedNanos >= CLEANUP_INTERVAL.toNanos()) {
      cleanedNanos = nowNanos;
      ledger.evictPayers(retained);
    }
  }

  private boolean isDue(Account account, Window retained, long nowNanos) {
    return account.mayState()
        && !account.isBackedOff(nowNanos)
        && (recalls.containsKey(account.scope())
            || isIdle(account, nowNanos)
            || account.isInDoubt()
            || isCloseDue(account, retained, nowNanos)
            || isForgetDue(account, nowNanos));
  }

  /**
   * True if the account's window has ended and its close can be stated; repeated while charges to
   * it are not settled.
   */
  private static boolean isCloseDue(Account account, Window retained, long nowNanos) {
    return isWindowOver(account, retained) && account.mayStateClose(nowNanos);
  }

  /**
   * True if the account is unused and its close can be stated; repeated at intervals while the
   * store keeps the lease.
   */
  private boolean isForgetDue(Account account, long nowNanos) {
    return storeResponsive
        && account.isEmpty()
        && isUnused(account, nowNanos)
        && account.mayStateClose(nowNanos);
  }

  private boolean isUnused(Account account, long nowNanos) {
    boolean isBalance = account.scope().kind() == ScopeKind.ORG;
    return account.isIdle(isBalance ? ledger.rules().idle() : WINDOW_RETENTION, nowNanos);
  }

  private boolean isIdle(Account account, long nowNanos) {
    return storeResponsive && account.needsIdleStatement(ledger.rules().idle(), nowNanos);
  }

  /** Selects the least recently stated accounts; a previously failed one is sent alone. */
  private List<Account> select(List<Account> due) {
    for (Account account : due) {
      if (account.hasStatementFailed()) {
        return List.of(account);
      }
    }
    if (due.size() <= batchMax) {
      return due;
    }
    due.sort(Comparator.comparingLong(Account::statedRound));
    return List.copyOf(due.subList(0, batchMax));
  }

  private LeaseStatement statement(Account account, Window retained, long nowNanos) {
    Long recall = recalls.remove(account.scope());
    if (recall != null || isIdle(account, nowNanos)) {
      account.releaseIdle();
      // The node that needs the recalled money has priority.
      account.refillNotBefore(nowNanos + REFILL_INTERVAL.toNanos());
    }
    account.beginStatement(rounds);
    boolean last =
        isWindowOver(account, retained) || (account.isEmpty() && isUnused(account, nowNanos));
    if (last) {
      account.stateClose(nowNanos + ledger.rules().idle().toNanos());
    }
    return new LeaseStatement(
        account.payer(),
        account.scope().kind(),
        new MicroUsd(account.base()),
        recall == null ? 0 : recall,
        last);
  }

  /** True if the account's window ended before the retained one and nothing of it runs. */
  private static boolean isWindowOver(Account account, Window retained) {
    return account.scope().kind() != ScopeKind.ORG
        && account.payer().window().endsBefore(retained, account.scope().kind())
        && account.isEmpty();
  }

  /** Handles a heartbeat that the store acknowledged. */
  void acknowledged(
      List<LeaseStatement> sent, TickAnswer.Accepted answer, Window retained, long nowNanos) {
    storeResponsive = true;
    sendEmpty = false;
    if (suspect != null) {
      suspect.statementRejected(nowNanos);
      if (suspect.isPoison()) {
        LOG.error("the ledger store rejects the statement of lease {}", suspect.scope());
      }
      suspect = null;
    }
    Set<Scope> closed = Set.copyOf(answer.closed());
    for (int i = 0; i < pending.size(); i++) {
      Account account = pending.get(i);
      account.endStatement(true);
      // The close that the node stated is not enough: a charge to the lease may not be settled yet,
      // and a new account of the same scope would state that nothing is held for it.
      if (closed.contains(account.scope()) && account.isEmpty()) {
        ledger.forget(account);
      }
    }
    batchMax = pending.isEmpty() ? batchMax : Math.min(BATCH_MAX, 2 * batchMax);
    pending = List.of();
    applyRecalls(answer.recalls());
  }

  private void applyRecalls(List<Recall> current) {
    Map<Scope, Long> before = Map.copyOf(recalls);
    recalls.clear();
    for (Recall recall : current) {
      recalls.put(recall.scope(), recall.number());
      Long known = before.get(recall.scope());
      if (known == null || known != recall.number()) {
        ledger.countRecall();
      }
    }
  }

  /**
   * Handles a failed heartbeat. What its statements returned counts as returned. The bare heartbeat
   * that follows shows whether the statements were the cause.
   */
  void failed() {
    storeResponsive = false;
    sendEmpty = true;
    urgent = !pending.isEmpty();
    suspect = pending.size() == 1 ? pending.getFirst() : null;
    batchMax = pending.isEmpty() ? batchMax : Math.max(1, pending.size() / 2);
    pending.forEach(account -> account.endStatement(false));
    pending = List.of();
  }
}
