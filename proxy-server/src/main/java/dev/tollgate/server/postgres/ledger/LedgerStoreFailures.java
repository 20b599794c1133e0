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
 * Classifier of SQL failures of the ledger store: transient, or caused by a row that no retry will
 * store. A failure of the database, the connection or the ledger's own sums is never attributed to
 * a row, or rows would be quarantined by the thousand.
 */
final class LedgerStoreFailures {
  /** SQLSTATE classes that concern a row: its values, its constraints, its size. */
  private static final Set<String> ROW_ERROR_CLASSES = Set.of("22", "23", "54");

  /** No connection, no free connection slot, or a database that is starting or stopping. */
  private static final Set<String> CONNECTION_ERROR_STATES =
      Set.of("08001", "08004", "53300", "57P01", "57P02", "57P03");

  /** Rows that no charge brings with it: a wrong one is a fault of the ledger. */
  private static final Set<String> LEDGER_TABLES = Set.of("scope_account", "lease");

  /** Missing organization or key, which is a fault of the charge. */
  private static final String FOREIGN_KEY_VIOLATION = "23503";

  private LedgerStoreFailures() {}

  static LedgerStoreException of(SQLException failure) {
    return new LedgerStoreException(
        kind(failure), "the ledger store refused: " + failure.getMessage(), failure);
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
