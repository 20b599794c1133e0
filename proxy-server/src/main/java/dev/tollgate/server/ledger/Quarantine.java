package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Settlement;

/**
 * Port to the quarantine, which keeps charges that the ledger store cannot settle, for an
 * operator's decision.
 */
@FunctionalInterface
public interface Quarantine {

  /** Adds one charge. Idempotent. */
  void add(LeaseHolder holder, Settlement settlement, String reason) throws LedgerStoreException;
}
