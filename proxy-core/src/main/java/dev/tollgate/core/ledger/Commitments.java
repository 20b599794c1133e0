package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node tells the books of its leases, for the case that it is never heard of again. It says
 * more than it has committed, so that it need not say it again with every request: as much as its
 * traffic would want in the time for which it may spend unheard. Confined to the ledger's thread.
 */
final class Commitments {
  private final NodeLedger ledger;
  private Map<Scope, Long> reported = new HashMap<>();

  Commitments(NodeLedger ledger) {
    this.ledger = ledger;
  }

  /** What is not said yet, or not true enough any more. It counts as said from now on. */
  List<Commitment> takeDue() {
    List<Commitment> due = new ArrayList<>();
    Map<Scope, Long> before = reported;
    reported = HashMap.newHashMap(before.size());
    for (Account account : ledger.accounts()) {
      Long lastReported = before.get(account.scope());
      if (lastReported != null && isStillAccurate(lastReported, account)) {
        reported.put(account.scope(), lastReported);
      } else {
        long now = account.committed(heartbeatTimeout());
        reported.put(account.scope(), now);
        due.add(new Commitment(account.scope(), new MicroUsd(now)));
      }
    }
    return due;
  }

  private boolean isStillAccurate(long lastReported, Account account) {
    long lower = account.committed(heartbeatTimeout().dividedBy(2));
    long upper = account.committed(heartbeatTimeout().multipliedBy(2));
    return lower <= lastReported && lastReported <= upper;
  }

  private Duration heartbeatTimeout() {
    return ledger.rules().heartbeatTimeout();
  }

  /** The books may not have heard what was said last. */
  void clearReported() {
    reported.clear();
  }
}
