package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.signin.OneTimeTokens.Purpose;
import dev.tollgate.server.mail.MailLinks;
import dev.tollgate.server.mail.MailLinks.Page;
import dev.tollgate.server.mail.MailOutbox;
import dev.tollgate.server.mail.MailTexts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Mails about accounts, each written in the transaction of its change. Those that anyone can ask
 * for are limited for each address.
 */
public final class AccountMail {
  private final MailOutbox outbox;
  private final MailLinks links;

  public AccountMail(MailOutbox outbox, MailLinks links) {
    this.outbox = outbox;
    this.links = links;
  }

  /** Returns where the mails wait. */
  public MailOutbox outbox() {
    return outbox;
  }

  /** True if mails reach people, so that no link need be returned to a caller. */
  boolean reachesPeople() {
    return outbox.reachesPeople();
  }

  /** Sends a link that verifies the address of a pending account, if one more mail may go there. */
  void verifyIfAllowed(Connection connection, User user) throws SQLException {
    if (Throttle.mayMail(connection, user.address().key())) {
      verify(connection, user);
    }
  }

  /** Sends a link that verifies the address of a pending account. */
  void verify(Connection connection, User user) throws SQLException {
    RandomSecret secret = OneTimeTokens.make(connection, Purpose.VERIFY_EMAIL, user.id(), "");
    String link = links.link(Page.VERIFY_EMAIL, secret.reveal());
    outbox.add(connection, MailTexts.verifyEmail(user.email(), link));
  }

  /** Sends a link that sets a new password; returns the link. */
  String reset(Connection connection, User user) throws SQLException {
    String link = resetLink(connection, user);
    outbox.add(connection, MailTexts.resetPassword(user.email(), link));
    return link;
  }

  /** Returns a link that sets a new password, without a mail. */
  String resetLink(Connection connection, User user) throws SQLException {
    RandomSecret secret = OneTimeTokens.make(connection, Purpose.RESET_PASSWORD, user.id(), "");
    return links.link(Page.RESET_PASSWORD, secret.reveal());
  }

  /** Sends a link to the new mailbox that moves the account there, and warns the present one. */
  void changeEmail(Connection connection, User user, EmailAddress to) throws SQLException {
    RandomSecret secret =
        OneTimeTokens.make(connection, Purpose.CHANGE_EMAIL, user.id(), to.text());
    String link = links.link(Page.VERIFY_EMAIL, secret.reveal());
    outbox.add(connection, MailTexts.changeEmail(to.text(), link));
    outbox.add(connection, MailTexts.emailChanges(user.email()));
  }

  void accountExists(Connection connection, User user) throws SQLException {
    outbox.add(connection, MailTexts.accountExists(user.email(), links.home()));
  }

  void passwordChanged(Connection connection, User user) throws SQLException {
    outbox.add(connection, MailTexts.passwordChanged(user.email()));
  }

  void signInsFailed(Connection connection, User user) throws SQLException {
    outbox.add(connection, MailTexts.signInsFailed(user.email()));
  }

  void accountChanged(Connection connection, User user, String what) throws SQLException {
    outbox.add(connection, MailTexts.accountChanged(user.email(), what));
  }

  /**
   * Sends the link of an invitation.
   *
   * @return the link, to be handed on; empty if mails reach people
   */
  public Optional<String> invite(
      Connection connection,
      EmailAddress to,
      String organization,
      String invitedBy,
      RandomSecret secret)
      throws SQLException {
    String link = links.link(Page.INVITATION, secret.reveal());
    outbox.add(connection, MailTexts.invitation(to.text(), organization, invitedBy, link));
    return reachesPeople() ? Optional.empty() : Optional.of(link);
  }

  /** Returns the link of the first set-up. */
  String setUpLink(RandomSecret secret) {
    return links.link(Page.SETUP, secret.reveal());
  }
}
