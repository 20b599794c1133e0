package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.signin.OneTimeTokens.Found;
import dev.tollgate.server.account.signin.OneTimeTokens.Purpose;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service of links that prove an address: of a new account, and of one that changes its address.
 */
public final class EmailVerification {
  private static final String UNIQUE_VIOLATION = "23505";

  private final DataSource pool;
  private final AccountMail mail;

  public EmailVerification(DataSource pool, AccountMail mail) {
    this.pool = pool;
    this.mail = mail;
  }

  /**
   * Uses a link: a pending account becomes active, or an account moves to its new address.
   *
   * @throws Refused 400 if the link does not work; 409 if the new address was taken meanwhile
   */
  public void verify(Caller caller, String token) throws SQLException {
    Transactions.run(
        pool,
        connection -> {
          Optional<Found> first = OneTimeTokens.use(connection, Purpose.VERIFY_EMAIL, token);
          if (first.isPresent()) {
            return activate(connection, caller, first.get());
          }
          return move(
              connection, caller, OneTimeTokens.require(connection, Purpose.CHANGE_EMAIL, token));
        });
  }

  /** Sends the link of a pending account again; the answer does not tell whether there is one. */
  public void resend(String email) throws SQLException {
    EmailAddress address = EmailAddress.require("email", email);
    Transactions.run(
        pool,
        connection -> {
          boolean mayMail = Throttle.mayMail(connection, address.key());
          Optional<User> user = Users.find(connection, address);
          if (mayMail && user.isPresent() && user.get().state() == UserState.PENDING) {
            mail.verify(connection, user.get());
          }
          return address;
        });
  }

  private static User activate(Connection connection, Caller caller, Found token)
      throws SQLException {
    User user = Users.lock(connection, token.user()).orElseThrow(OneTimeTokens::refused);
    if (user.state() != UserState.PENDING) {
      throw OneTimeTokens.refused();
    }
    Users.activate(connection, user.id());
    AuditTrail.write(connection, caller, AuditAction.USER_VERIFY, user.target());
    return user;
  }

  private static User move(Connection connection, Caller caller, Found token) throws SQLException {
    User user = Users.lock(connection, token.user()).orElseThrow(OneTimeTokens::refused);
    EmailAddress to = EmailAddress.require("token", token.payload());
    if (user.state() == UserState.CLOSED) {
      throw OneTimeTokens.refused();
    }
    Optional<User> holder = Users.find(connection, to);
    if (holder.isPresent() && !holder.get().id().equals(user.id())) {
      throw Refused.conflict(RefusalReason.EMAIL_TAKEN);
    }
    setEmail(connection, user, to);
    Sessions.endAll(connection, user.id(), ownSession(caller, user), Sessions.End.EMAIL_CHANGED);
    AuditTrail.write(
        connection,
        caller,
        AuditAction.USER_EMAIL,
        user.target(),
        new Change("email", user.email(), to.text()));
    return user;
  }

  /** A link may be opened in any browser; only the person's own session stays. */
  private static @Nullable SessionId ownSession(Caller caller, User user) {
    return caller.principal() instanceof Principal.Person person && person.id().equals(user.id())
        ? person.session()
        : null;
  }

  private static void setEmail(Connection connection, User user, EmailAddress to)
      throws SQLException {
    try {
      Statements.update(
          connection,
          "UPDATE user_account SET email = ?, email_key = ? WHERE id = ?",
          to.text(),
          to.key(),
          user.id().value());
    } catch (SQLException e) {
      // Two accounts moved to one address at the same time.
      if (UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw Refused.conflict(RefusalReason.EMAIL_TAKEN);
      }
      throw e;
    }
  }
}
