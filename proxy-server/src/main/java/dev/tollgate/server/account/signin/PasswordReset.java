package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.signin.OneTimeTokens.Found;
import dev.tollgate.server.account.signin.OneTimeTokens.Purpose;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Service for people who forgot their password: a link in a mail sets a new one. */
public final class PasswordReset {
  private final DataSource pool;
  private final Passwords passwords;
  private final AccountMail mail;

  public PasswordReset(DataSource pool, Passwords passwords, AccountMail mail) {
    this.pool = pool;
    this.passwords = passwords;
    this.mail = mail;
  }

  /** Sends a link to an account's address; the answer does not tell whether there is one. */
  public void forgot(String email) throws SQLException {
    EmailAddress address = EmailAddress.require("email", email);
    Transactions.run(
        pool,
        connection -> {
          boolean mayMail = Throttle.mayMail(connection, address.key());
          Optional<User> user = Users.find(connection, address);
          if (mayMail && user.isPresent()) {
            send(connection, user.get());
          }
          return address;
        });
  }

  private void send(Connection connection, User user) throws SQLException {
    switch (user.state()) {
      case PENDING -> mail.verify(connection, user);
      case ACTIVE -> mail.reset(connection, user);
      case DISABLED, CLOSED -> {
        // An operator decides about the account first.
      }
    }
  }

  /**
   * Sets a new password and ends all sessions.
   *
   * @throws Refused 400 if the link does not work or the password is not accepted
   */
  public void reset(Caller caller, String token, Secret password) throws SQLException {
    User user = owner(token);
    PasswordRules.require("password", password, user.address(), user.name());
    Secret hash = passwords.hash(password);
    Transactions.run(
        pool,
        connection -> {
          Found used = OneTimeTokens.require(connection, Purpose.RESET_PASSWORD, token);
          User locked = Users.lock(connection, used.user()).orElseThrow(OneTimeTokens::refused);
          if (locked.state() == UserState.CLOSED) {
            throw OneTimeTokens.refused();
          }
          Users.setPassword(connection, locked.id(), hash);
          Users.activate(connection, locked.id());
          Sessions.endAll(connection, locked.id(), null, Sessions.End.PASSWORD_RESET);
          AuditTrail.write(connection, caller, AuditAction.USER_PASSWORD_RESET, locked.target());
          mail.passwordChanged(connection, locked);
          return locked;
        });
  }

  private User owner(String token) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Found found =
          OneTimeTokens.find(connection, Purpose.RESET_PASSWORD, token)
              .orElseThrow(OneTimeTokens::refused);
      return Users.find(connection, found.user())
          .filter(user -> user.state() != UserState.CLOSED)
          .orElseThrow(OneTimeTokens::refused);
    }
  }
}
