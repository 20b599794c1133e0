package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.BankException.Kind;
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
final class BankFailures {
  /** Classes of SQLSTATE that speak of a row: its values, its constraints, its size. */
  private static final Set<String> OF_A_ROW = Set.of("22", "23", "54");

  /** No connection, no place for one, or a database that starts or stops. */
  private static final Set<String> BEFORE_THE_BOOKS =
      Set.of("08001", "08004", "53300", "57P01", "57P02", "57P03");

  /** Rows that no charge brings with it: where one of these is wrong, the books are. */
  private static final Set<String> OF_THE_BOOKS = Set.of("scope_account", "lease");

  /** Of an organization or a key that is not there: this is the charge's. */
  private static final String REFERENCE_TO_NOTHING = "23503";

  private BankFailures() {}

  static BankException of(SQLException failure) {
    return new BankException(kind(failure), "the books refused: " + failure.getMessage(), failure);
  }

  private static Kind kind(SQLException failure) {
    String state = failure.getSQLState();
    if (failure instanceof SQLTransientConnectionException
        || (state != null && BEFORE_THE_BOOKS.contains(state))) {
      return Kind.UNREACHED;
    }
    boolean isOfARow =
        !(failure instanceof SQLTransientException)
            && state != null
            && state.length() >= 2
            && OF_A_ROW.contains(state.substring(0, 2))
            && (state.equals(REFERENCE_TO_NOTHING) || !OF_THE_BOOKS.contains(table(failure)));
    return isOfARow ? Kind.POISONED : Kind.TRANSIENT;
  }

  private static String table(SQLException failure) {
    ServerErrorMessage said =
        failure instanceof PSQLException refused ? refused.getServerErrorMessage() : null;
    String table = said == null ? null : said.getTable();
    return table == null ? "" : table;
  }
}
