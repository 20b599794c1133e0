package dev.tollgate.server.account.org;

import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.RandomSecret;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Port to the mails of invitations, which are written in the transaction of the invitation. */
public interface InvitationMail {
  /**
   * Sends the link to an invitation.
   *
   * @param invitedBy name of who invites
   * @return the link, if mail does not reach people and the caller is to hand it on
   */
  Optional<String> send(
      Connection connection,
      EmailAddress to,
      String organization,
      String invitedBy,
      RandomSecret secret)
      throws SQLException;
}
