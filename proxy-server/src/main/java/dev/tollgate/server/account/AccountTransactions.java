package dev.tollgate.server.account;

import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.session.Transactions.Work;
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

  /**
   * Runs a change of an organization.
   *
   * @param onChange called after the commit, so that all nodes see the change soon
   */
  public static <T> T run(DataSource pool, Runnable onChange, Work<T> work) throws SQLException {
    T result = run(pool, work);
    onChange.run();
    return result;
  }

  /** Runs a change that makes what the reply is written from, once for its idempotency key. */
  public static <T> T create(DataSource pool, IdempotencyClaim claim, Work<T> work)
      throws SQLException {
    return run(
        pool,
        connection -> {
          claim.begin(connection);
          T made = work.run(connection);
          claim.complete(connection, made);
          return made;
        });
  }

  public static <T> T run(DataSource pool, Work<T> work) throws SQLException {
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
