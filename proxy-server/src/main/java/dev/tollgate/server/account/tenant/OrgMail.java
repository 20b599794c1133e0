package dev.tollgate.server.account.tenant;

import java.sql.Connection;
import java.sql.SQLException;

/** Port to the mails about an organization, which are written in the transaction of a change. */
public interface OrgMail {
  /**
   * Tells that the webhook secret was replaced.
   *
   * @param to address of an owner
   */
  void webhookSecretRotated(Connection connection, String to, String organization)
      throws SQLException;
}
