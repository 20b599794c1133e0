package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.Settlement;
import java.util.List;

/** Listener for the results of settling charges, called on the settler's thread. */
public interface SettlerListener {

  /**
   * Charges are settled.
   *
   * @param overruns total growth of leases for charges above what they held
   */
  void settled(List<Settlement> settlements, List<LeaseGrowth> overruns);

  /** A round ended, whether charges were sent or not. */
  default void roundEnded() {}

  /** A charge could not be settled and is in quarantine; it was not spent from any lease. */
  void quarantined(Settlement settlement);
}
