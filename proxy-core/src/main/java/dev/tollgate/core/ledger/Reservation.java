package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;

/**
 * Money set aside for one request, ended exactly once: by {@link #settle} or by {@link #release}.
 * Confined to the loop it was made for.
 */
public interface Reservation {

  /**
   * The request goes ahead: from now on the journal knows of it. Called once at most, and before
   * anything is said of it but its release.
   */
  void begin();

  /** The request was worth this much so far: what is charged should the process die now. */
  void progress(MicroUsd cost, Tokens tokens);

  /**
   * Charges the request; what was set aside beyond that is free again at once.
   *
   * @param row the request's line in the request log, a JSON object; empty: none
   * @param durable called on the loop once the charge can not be lost any more
   */
  void settle(MicroUsd cost, Tokens tokens, SettlementKind how, byte[] row, Runnable durable);

  /** Ends it without a charge. */
  void release();
}
