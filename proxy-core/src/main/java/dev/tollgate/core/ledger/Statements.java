package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.Bank.Recall;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.TickAnswer;
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
final class Statements {
  private static final Logger log = LoggerFactory.getLogger(Statements.class);
  private static final int MOST = 500;
  private static final Duration REFILL_AGAIN = Duration.ofSeconds(1);

  /** For how long accounts of windows are kept: the next window's are made by those of late. */
  private static final Duration WINDOWS_KEPT = Dawn.LATELY;

  private static final Duration TIDY = Duration.ofMinutes(1);

  private final NodeLedger ledger;
  private final Map<Scope, Long> recalls = new HashMap<>();
  private List<Account> stating = List.of();
  private List<Account> yielding = List.of();
  private @Nullable Long tidiedNanos;
  private long turns;
  private int most = MOST;
  private boolean booksHeard = true;
  private boolean bare;
  private boolean urgent;
  private @Nullable Account suspect;

  Statements(NodeLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * Whether they should not wait: the books may have stumbled over the last, or money was recalled
   * that could not be given back with them, and now can.
   */
  boolean areUrgent() {
    return urgent || yielding.stream().anyMatch(Account::mayState);
  }

  /**
   * Those to be said now.
   *
   * @param kept the day of which requests may still come
   */
  List<Statement> next(Duration sinceLast, Window kept, long nowNanos) {
    urgent = false;
    List<Account> due = new ArrayList<>();
    List<Account> untouched = new ArrayList<>();
    yielding = new ArrayList<>();
    int leases = 0;
    for (Account account : ledger.accounts()) {
      account.observe(sinceLast, nowNanos);
      leases += account.holdsMoney() ? 1 : 0;
      account.yields(recalls.containsKey(account.scope()) && !account.mayState());
      if (account.isYielding()) {
        yielding.add(account);
      }
      if (account.isUntouched() && isUnused(account, nowNanos)) {
        untouched.add(account);
      } else if (!bare && isDue(account, kept, nowNanos)) {
        due.add(account);
      }
    }
    ledger.holdsLeases(leases);
    untouched.forEach(ledger::forget);
    tidy(kept, nowNanos);
    turns++;
    stating = chosen(due);
    return stating.stream().map(account -> statement(account, kept, nowNanos)).toList();
  }

  private void tidy(Window kept, long nowNanos) {
    if (tidiedNanos == null || nowNanos - tidiedNanos >= TIDY.toNanos()) {
      tidiedNanos = nowNanos;
      ledger.forgetPurses(kept);
    }
  }

  private boolean isDue(Account account, Window kept, long nowNanos) {
    return account.mayState()
        && !account.isPutOff(nowNanos)
        && (recalls.containsKey(account.scope())
            || isIdle(account, nowNanos)
            || account.isInDoubt()
            || isOverToSay(account, kept, nowNanos)
            || isToForget(account, nowNanos));
  }

  /** Whether it is time to say that its window is over; again while charges to it wait. */
  private static boolean isOverToSay(Account account, Window kept, long nowNanos) {
    return isOver(account, kept) && account.maySayLast(nowNanos);
  }

  /** Whether it is time to say that it may be forgotten; not too often where it may not. */
  private boolean isToForget(Account account, long nowNanos) {
    return booksHeard
        && account.isEmpty()
        && isUnused(account, nowNanos)
        && account.maySayLast(nowNanos);
  }

  private boolean isUnused(Account account, long nowNanos) {
    boolean isBalance = account.scope().kind() == ScopeKind.ORG;
    return account.isIdle(isBalance ? ledger.rules().idle() : WINDOWS_KEPT, nowNanos);
  }

  private boolean isIdle(Account account, long nowNanos) {
    return booksHeard && account.isIdleToSay(ledger.rules().idle(), nowNanos);
  }

  /** Those of which nothing was said for the longest time; one that failed goes alone. */
  private List<Account> chosen(List<Account> due) {
    for (Account account : due) {
      if (account.hasStumbled()) {
        return List.of(account);
      }
    }
    if (due.size() <= most) {
      return due;
    }
    due.sort(Comparator.comparingLong(Account::statedTurn));
    return List.copyOf(due.subList(0, most));
  }

  private Statement statement(Account account, Window kept, long nowNanos) {
    Long recall = recalls.remove(account.scope());
    if (recall != null || isIdle(account, nowNanos)) {
      account.empty();
      // Who asked for it comes first.
      account.refillNotBefore(nowNanos + REFILL_AGAIN.toNanos());
    }
    account.states(turns);
    boolean last = isOver(account, kept) || (account.isEmpty() && isUnused(account, nowNanos));
    if (last) {
      account.saysLast(nowNanos + ledger.rules().idle().toNanos());
    }
    return new Statement(
        account.payer(),
        account.scope().kind(),
        new MicroUsd(account.base()),
        recall == null ? 0 : recall,
        last);
  }

  /** Whether hardly a request of its window can come any more, and none runs. */
  private static boolean isOver(Account account, Window kept) {
    return account.scope().kind() != ScopeKind.ORG
        && account.payer().window().endsBefore(kept, account.scope().kind())
        && account.isEmpty();
  }

  /** The books heard them. */
  void heard(List<Statement> said, TickAnswer.Alive answer, Window kept, long nowNanos) {
    booksHeard = true;
    bare = false;
    if (suspect != null) {
      suspect.stumbled(nowNanos);
      if (suspect.isPoison()) {
        log.error("the books do not take what is said of the lease of {}", suspect.scope());
      }
      suspect = null;
    }
    Set<Scope> closed = Set.copyOf(answer.closed());
    for (int i = 0; i < stating.size(); i++) {
      Account account = stating.get(i);
      account.stated(true);
      // Not for its last word alone: a charge to it may not be booked yet, and another account of
      // the
      // same scope would say that nothing is held for it.
      if (closed.contains(account.scope()) && account.isEmpty()) {
        ledger.forget(account);
      }
    }
    most = stating.isEmpty() ? most : Math.min(MOST, 2 * most);
    stating = List.of();
    recalled(answer.recalls());
  }

  private void recalled(List<Recall> now) {
    Map<Scope, Long> before = Map.copyOf(recalls);
    recalls.clear();
    for (Recall recall : now) {
      recalls.put(recall.scope(), recall.number());
      Long known = before.get(recall.scope());
      if (known == null || known != recall.number()) {
        ledger.wasRecalled();
      }
    }
  }

  /**
   * The books did not, or perhaps did: what they give back counts as gone. Whether they are to
   * blame shows with the sign of life that follows, which carries none.
   */
  void failed() {
    booksHeard = false;
    bare = true;
    urgent = !stating.isEmpty();
    suspect = stating.size() == 1 ? stating.getFirst() : null;
    most = stating.isEmpty() ? most : Math.max(1, stating.size() / 2);
    stating.forEach(account -> account.stated(false));
    stating = List.of();
  }
}
