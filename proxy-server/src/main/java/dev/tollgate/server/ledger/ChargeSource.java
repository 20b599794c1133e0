package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Settlement;
import java.util.List;

/** Source of durable charges that the settler sends to the ledger store, oldest first. */
public interface ChargeSource {

  /** Returns the oldest charges that are not settled. */
  List<Settlement> unsettled(int max);

  /** Marks the first {@code count} charges that {@link #unsettled} returned last as settled. */
  void settled(int count);

  /** Returns the number of charges that are not settled. */
  long backlog();
}
