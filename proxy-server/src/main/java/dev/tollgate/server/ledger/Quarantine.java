package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Settlement;

/** Where a charge is kept whole that the books cannot take, for an operator to look at. */
@FunctionalInterface
public interface Quarantine {

  /** Keeps one charge, however often it is sent. */
  void keep(Holder holder, Settlement settlement, String reason) throws BankException;
}
