package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Settlement;
import java.util.List;

/** Charges on their way into the books, oldest first. */
public interface Charges {

  /** The oldest that are not booked. */
  List<Settlement> unbooked(int max);

  /** The books have the first {@code count} of what {@link #unbooked} returned last. */
  void booked(int count);

  /** How many are not booked. */
  long backlog();
}
