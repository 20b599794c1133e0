package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.Settlement;
import java.util.List;

/** Hears what became of charges, on the settler's thread. */
public interface SettlerListener {

  /**
   * They stand in the books.
   *
   * @param overruns by how much leases grew because more was spent than they held
   */
  void settled(List<Settlement> settlements, List<LeaseGrowth> overruns);

  /** One turn ended, whether there was something to book or not. */
  default void roundEnded() {}

  /** It could not be booked and waits for an operator; no lease was spent for it. */
  void quarantined(Settlement settlement);
}
