package dev.tollgate.server.account.org;

import dev.tollgate.server.account.UserId;
import java.sql.Connection;
import java.sql.SQLException;

/** Port to the sessions of a person whose rights change. */
public interface SessionRenewal {
  /** Gives each of the person's sessions a new id at its next request. */
  void renewAll(Connection connection, UserId user) throws SQLException;
}
