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
 * What a node has to say of its leases, some with each sign of life: that it gives back what is
 * recalled or idle, that a lease is over, and what it holds where a call failed. A sign of life
 * that carried some and failed is followed by a bare one, and then by fewer, so that one that the
 * books cannot take stops neither the node nor the others. Confined to the ledger's thread.
 */
final class LeaseStatements {
  private static final Logger log = LoggerFactory.getLogger(LeaseStatements.class);
  private static final int BATCH_MAX = 500;
  private static final Duration REFILL_INTERVAL = Duration.ofSeconds(1);

  /** For how long accounts of windows are kept: the next window's are made by those of late. */
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
   * Whether they should not wait: the books may have stumbled over the last, or money was recalled
   * that could not be given back with them, and now can.
   */
  boolean areUrgent() {
    return urgent || recallPending.stream().anyMatch(Account::mayState);
  }

  /**
   * Those to be said now.
   *
   * @param retained the day of which requests may still come
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

  /** Whether it is time to say that its window is over; again while charges to it wait. */
  private static boolean isCloseDue(Account account, Window retained, long nowNanos) {
    return isWindowOver(account, retained) && account.mayStateClose(nowNanos);
  }

  /** Whether it is time to say that it may be forgotten; not too often where it may not. */
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

  /** Those of which nothing was said for the longest time; one that failed goes alone. */
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
      // Who asked for it comes first.
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

  /** Whether hardly a request of its window can come any more, and none runs. */
  private static boolean isWindowOver(Account account, Window retained) {
    return account.scope().kind() != ScopeKind.ORG
        && account.payer().window().endsBefore(retained, account.scope().kind())
        && account.isEmpty();
  }

  /** The books heard them. */
  void acknowledged(
      List<LeaseStatement> sent, TickAnswer.Accepted answer, Window retained, long nowNanos) {
    storeResponsive = true;
    sendEmpty = false;
    if (suspect != null) {
      suspect.statementRejected(nowNanos);
      if (suspect.isPoison()) {
        log.error("the books do not take what is said of the lease of {}", suspect.scope());
      }
      suspect = null;
    }
    Set<Scope> closed = Set.copyOf(answer.closed());
    for (int i = 0; i < pending.size(); i++) {
      Account account = pending.get(i);
      account.endStatement(true);
      // Not for its last word alone: a charge to it may not be booked yet, and another account of
      // the
      // same scope would say that nothing is held for it.
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
   * The books did not, or perhaps did: what they give back counts as gone. Whether they are to
   * blame shows with the sign of life that follows, which carries none.
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
