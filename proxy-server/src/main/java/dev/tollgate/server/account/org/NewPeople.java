package dev.tollgate.server.account.org;

import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.UserId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Port to the creation of an account whose address an invitation proved. */
public interface NewPeople {
  /** Account that passed all checks, with its password hashed. */
  interface Prepared {
    /** Creates the account, verified, with its row in the audit log; empty if it exists. */
    Optional<UserId> insert(Connection connection, Caller caller) throws SQLException;
  }

  /**
   * Checks a new account and hashes its password, which takes long.
   *
   * @throws dev.tollgate.server.account.Refused 400 if the name or the password will not do
   */
  Prepared prepare(String email, String password, String name);
}
