package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Tells a failure that passes from a row that no database will ever take. What says something about
 * the database, the way to it or its own sums is never blamed on a row: rows would be put aside by
 * the thousand.
 */
final class LedgerStoreFailures {
  /** Classes of SQLSTATE that speak of a row: its values, its constraints, its size. */
  private static final Set<String> ROW_ERROR_CLASSES = Set.of("22", "23", "54");

  /** No connection, no place for one, or a database that starts or stops. */
  private static final Set<String> CONNECTION_ERROR_STATES =
      Set.of("08001", "08004", "53300", "57P01", "57P02", "57P03");

  /** Rows that no charge brings with it: where one of these is wrong, the books are. */
  private static final Set<String> LEDGER_TABLES = Set.of("scope_account", "lease");

  /** Of an organization or a key that is not there: this is the charge's. */
  private static final String FOREIGN_KEY_VIOLATION = "23503";

  private LedgerStoreFailures() {}

  static LedgerStoreException of(SQLException failure) {
    return new LedgerStoreException(
        kind(failure), "the books refused: " + failure.getMessage(), failure);
  }

  private static Kind kind(SQLException failure) {
    String state = failure.getSQLState();
    if (failure instanceof SQLTransientConnectionException
        || (state != null && CONNECTION_ERROR_STATES.contains(state))) {
      return Kind.UNREACHABLE;
    }
    boolean isRowError =
        !(failure instanceof SQLTransientException)
            && state != null
            && state.length() >= 2
            && ROW_ERROR_CLASSES.contains(state.substring(0, 2))
            && (state.equals(FOREIGN_KEY_VIOLATION) || !LEDGER_TABLES.contains(table(failure)));
    return isRowError ? Kind.POISONED : Kind.TRANSIENT;
  }

  private static String table(SQLException failure) {
    ServerErrorMessage serverError =
        failure instanceof PSQLException refused ? refused.getServerErrorMessage() : null;
    String table = serverError == null ? null : serverError.getTable();
    return table == null ? "" : table;
  }
}
