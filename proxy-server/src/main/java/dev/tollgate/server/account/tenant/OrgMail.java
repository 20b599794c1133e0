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

  /**
   * Alerts that a share of the monthly limit is spent.
   *
   * @param to address of an owner or a billing member
   */
  void monthlyLimitReached(
      Connection connection, String to, String organization, int percent, long limitMicro)
      throws SQLException;

  /** Alerts that the balance is below an amount. */
  void balanceIsBelow(Connection connection, String to, String organization, long micro)
      throws SQLException;
}
