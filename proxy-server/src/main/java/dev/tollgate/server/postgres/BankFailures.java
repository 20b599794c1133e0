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
  /**
   * Classes of SQLSTATE: connection, read only, logging in, no such database or schema, roll back,
   * missing rights or functions, resources, locks, shutdown, I/O.
   */
  private static final Set<String> OF_THE_DATABASE =
      Set.of("08", "25", "28", "3D", "3F", "40", "42", "53", "55", "57", "58");

  private BankFailures() {}

  static BankException of(SQLException failure) {
    return new BankException(kind(failure), "the books refused: " + failure.getMessage(), failure);
  }

  private static Kind kind(SQLException failure) {
    String state = failure.getSQLState();
    boolean passes =
        failure instanceof SQLTransientException
            || state == null
            || state.length() < 2
            || OF_THE_DATABASE.contains(state.substring(0, 2));
    return passes ? Kind.TRANSIENT : Kind.POISONED;
  }
}
