package dev.tollgate.server.account;

import dev.tollgate.server.postgres.session.Transactions;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Runner of a change in one transaction, which is refused with a 409 if an organization would have
 * no active owner.
 */
public final class AccountTransactions {
  private static final String LAST_OWNER = "last_owner";

  private AccountTransactions() {}

  public static <T> T run(DataSource pool, Transactions.Work<T> work) throws SQLException {
    try {
      return Transactions.run(pool, work);
    } catch (PSQLException e) {
      ServerErrorMessage why = e.getServerErrorMessage();
      if (why != null && LAST_OWNER.equals(why.getConstraint())) {
        throw Refused.conflict(RefusalReason.LAST_OWNER);
      }
      throw e;
    }
  }
}
