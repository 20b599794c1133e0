package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;

/**
 * Amount reserved for the cost of one request, ended exactly once: by {@link #settle} or by {@link
 * #release}. Confined to the event loop it was made for.
 */
public interface Reservation {

  /**
   * Journals the reservation, because the request proceeds. Called at most once, and before {@link
   * #progress} and {@link #settle}.
   */
  void begin();

  /** Records the charge so far, which recovery settles if the process dies now. */
  void progress(MicroUsd cost, Tokens tokens);

  /**
   * Charges the request. The part of the reservation that was not used is available again at once.
   *
   * @param row the request log row, a JSON object; empty means none
   * @param durable called on the loop once the charge is durable
   */
  void settle(MicroUsd cost, Tokens tokens, SettlementKind how, byte[] row, Runnable durable);

  /** Ends the reservation without a charge. */
  void release();
}
