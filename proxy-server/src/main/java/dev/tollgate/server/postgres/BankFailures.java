package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.BankException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Set;

/**
 * Tells a failure that passes from a row that no database will ever take. What says something about
 * the database or the way to it is never blamed on a row: rows would be put aside by the thousand.
 */
final class BankFailures {
  /** Classes of SQLSTATE that speak of a row: its values, its constraints, its size. */
  private static final Set<String> OF_A_ROW = Set.of("22", "23", "54");

  private BankFailures() {}

  static BankException of(SQLException failure) {
    return new BankException(kind(failure), "the books refused: " + failure.getMessage(), failure);
  }

  private static Kind kind(SQLException failure) {
    String state = failure.getSQLState();
    boolean isOfARow =
        !(failure instanceof SQLTransientException)
            && state != null
            && state.length() >= 2
            && OF_A_ROW.contains(state.substring(0, 2));
    return isOfARow ? Kind.POISONED : Kind.TRANSIENT;
  }
}
