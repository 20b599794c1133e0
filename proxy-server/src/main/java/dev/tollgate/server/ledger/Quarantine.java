package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Settlement;

/** Where a charge is kept whole that the books cannot take, for an operator to look at. */
@FunctionalInterface
public interface Quarantine {

  /** Keeps one charge, however often it is sent. */
  void add(LeaseHolder holder, Settlement settlement, String reason) throws LedgerStoreException;
}
