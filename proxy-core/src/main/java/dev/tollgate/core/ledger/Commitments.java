package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tracker of the commitments that this node reported to the ledger store, which shrinks a lost
 * node's leases to them. A reported amount includes what the traffic would reserve in the time for
 * which the node may spend without a heartbeat, so that not every request needs a new report.
 * Confined to the ledger's thread.
 */
final class Commitments {
  private final NodeLedger ledger;
  private Map<Scope, Long> reported = new HashMap<>();

  Commitments(NodeLedger ledger) {
    this.ledger = ledger;
  }

  /**
   * Returns the commitments that are not reported yet or no longer accurate, and counts them as
   * reported.
   */
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

  /** Marks all commitments as not reported, after a report that may be lost. */
  void clearReported() {
    reported.clear();
  }
}
