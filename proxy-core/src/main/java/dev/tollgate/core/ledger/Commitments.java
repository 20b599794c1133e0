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
  private Map<Scope, Long> said = new HashMap<>();

  Commitments(NodeLedger ledger) {
    this.ledger = ledger;
  }

  /** What is not said yet, or not true enough any more. It counts as said from now on. */
  List<Commitment> due() {
    List<Commitment> due = new ArrayList<>();
    Map<Scope, Long> before = said;
    said = HashMap.newHashMap(before.size());
    for (Account account : ledger.accounts()) {
      Long last = before.get(account.scope());
      if (last != null && isTrueEnough(last, account)) {
        said.put(account.scope(), last);
      } else {
        long now = account.committed(unheard());
        said.put(account.scope(), now);
        due.add(new Commitment(account.scope(), new MicroUsd(now)));
      }
    }
    return due;
  }

  private boolean isTrueEnough(long last, Account account) {
    long least = account.committed(unheard().dividedBy(2));
    long most = account.committed(unheard().multipliedBy(2));
    return least <= last && last <= most;
  }

  private Duration unheard() {
    return ledger.rules().silenceMax();
  }

  /** The books may not have heard what was said last. */
  void unsaid() {
    said.clear();
  }
}
