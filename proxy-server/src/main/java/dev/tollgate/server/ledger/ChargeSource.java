package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Settlement;
import java.util.List;

/** Charges on their way into the books, oldest first. */
public interface ChargeSource {

  /** The oldest that are not booked. */
  List<Settlement> unsettled(int max);

  /** The books have the first {@code count} of what {@link #unsettled} returned last. */
  void settled(int count);

  /** How many are not booked. */
  long backlog();
}
