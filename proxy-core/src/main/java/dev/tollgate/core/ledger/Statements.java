package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.Bank.Recall;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private final NodeLedger ledger;
  private final Map<Scope, Long> recalls = new HashMap<>();
  private List<Account> stating = List.of();
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
    return urgent
        || ledger.accounts().stream()
            .anyMatch(account -> account.isYielding() && account.mayState());
  }

  /**
   * Those to be said now.
   *
   * @param kept the day of which requests may still come
   */
  List<Statement> next(Duration sinceLast, Window kept, long nowNanos) {
    urgent = false;
    List<Account> due = new ArrayList<>();
    int leases = 0;
    for (Account account : ledger.accounts()) {
      account.observe(sinceLast, nowNanos);
      leases += account.holdsMoney() ? 1 : 0;
      account.yields(recalls.containsKey(account.scope()) && !account.mayState());
      if (!bare && isDue(account, kept, nowNanos)) {
        due.add(account);
      }
    }
    ledger.holdsLeases(leases);
    turns++;
    stating = chosen(due);
    return stating.stream().map(account -> statement(account, kept, nowNanos)).toList();
  }

  private boolean isDue(Account account, Window kept, long nowNanos) {
    return account.mayState()
        && !account.isPutOff(nowNanos)
        && (recalls.containsKey(account.scope())
            || isIdle(account, nowNanos)
            || account.isInDoubt()
            || isOver(account, kept));
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
    return new Statement(
        account.payer(),
        account.scope().kind(),
        new MicroUsd(account.base()),
        recall == null ? 0 : recall,
        isOver(account, kept));
  }

  /** Whether hardly a request of its window can come any more, and none runs. */
  private static boolean isOver(Account account, Window kept) {
    return account.scope().kind() != ScopeKind.ORG
        && account.payer().window().endsBefore(kept, account.scope().kind())
        && account.available() == 0
        && account.reserved() == 0;
  }

  /** The books heard them. */
  void heard(List<Statement> said, List<Recall> recalled, Window kept, long nowNanos) {
    booksHeard = true;
    bare = false;
    if (suspect != null) {
      suspect.stumbled(nowNanos);
      if (suspect.isPoison()) {
        log.error("the books do not take what is said of the lease of {}", suspect.scope());
      }
      suspect = null;
    }
    for (int i = 0; i < stating.size(); i++) {
      Account account = stating.get(i);
      account.stated(true);
      if (said.get(i).last() && isOver(account, kept)) {
        ledger.forget(account);
      }
    }
    most = stating.isEmpty() ? most : Math.min(MOST, 2 * most);
    stating = List.of();
    recalled(recalled);
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
