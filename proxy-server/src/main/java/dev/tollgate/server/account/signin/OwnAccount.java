package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.signin.SessionView.UserView;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of a person's own account: fields, password, address, and its end. */
public final class OwnAccount {
  private final DataSource pool;
  private final SignIn signIn;
  private final Sessions sessions;
  private final Passwords passwords;
  private final AccountMail mail;

  public OwnAccount(
      DataSource pool, SignIn signIn, Sessions sessions, Passwords passwords, AccountMail mail) {
    this.pool = pool;
    this.signIn = signIn;
    this.sessions = sessions;
    this.passwords = passwords;
    this.mail = mail;
  }

  /**
   * Fields to change; null keeps one.
   *
   * @param version version of the account that the person saw; null: any
   */
  public record AccountChanges(
      @Nullable String name,
      @Nullable String timezone,
      @Nullable String locale,
      @Nullable Integer version) {

    private void check() {
      List<Issue> issues = new ArrayList<>();
      UserFields.checkName(name, issues);
      UserFields.checkTimezone(timezone, issues);
      UserFields.checkLocale(locale, issues);
      if (!issues.isEmpty()) {
        throw Refused.invalid(issues);
      }
    }
  }

  /**
   * Changes fields of the caller's account.
   *
   * @throws Refused 400; 409 if the account was changed meanwhile
   */
  public UserView update(Caller caller, AccountChanges changes) throws SQLException {
    Principal.Person person = caller.person();
    changes.check();
    return Transactions.run(
        pool,
        connection -> {
          User user = Users.lockOwn(connection, person.id());
          Versioned.requireSeen(changes.version(), user.version());
          set(connection, user, changes);
          User changed = Users.find(connection, user.id()).orElseThrow();
          AuditTrail.write(
              connection,
              caller,
              AuditAction.USER_UPDATE,
              user.target(),
              new Change("name", user.name(), changed.name()),
              new Change("timezone", user.timezone(), changed.timezone()),
              new Change("locale", user.locale(), changed.locale()));
          return UserView.of(changed);
        });
  }

  /**
   * Changes the caller's password; other sessions end and this one gets a new cookie.
   *
   * @param current null is allowed for an account without a password and with a fresh proof
   * @throws Refused 400 if the new one is not accepted; 401 if the current one is wrong
   */
  public RandomSecret changePassword(Caller caller, @Nullable Secret current, Secret changed)
      throws SQLException {
    Principal.Person person = caller.person();
    User user =
        current == null ? withoutPassword(person) : signIn.requireOwnPassword(caller, current);
    PasswordRules.require("new", changed, user.address(), user.name());
    Secret hash = passwords.hash(changed);
    return Transactions.run(
        pool,
        connection -> {
          User locked = Users.lockOwn(connection, person.id());
          Users.setPassword(connection, locked.id(), hash);
          var session = sessions.start(connection, caller, locked.id(), List.of("pwd"));
          Sessions.endAll(connection, locked.id(), session.id(), Sessions.End.PASSWORD_CHANGED);
          AuditTrail.write(connection, caller, AuditAction.USER_PASSWORD, locked.target());
          mail.passwordChanged(connection, locked);
          return session.cookie();
        });
  }

  private User withoutPassword(Principal.Person person) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      User user = Users.find(connection, person.id()).orElseThrow(Refused::unauthenticated);
      if (user.passwordHash() != null) {
        throw Refused.invalid("current", "is required");
      }
      if (!isProofFresh(connection, person.session())) {
        throw Refused.forbidden(RefusalReason.REAUTHENTICATION_REQUIRED);
      }
      return user;
    }
  }

  /**
   * Sends a link to a new address, which moves the account there. The answer does not tell whether
   * the address has an account.
   */
  public void changeEmail(Caller caller, String email) throws SQLException {
    Principal.Person person = caller.person();
    EmailAddress to = EmailAddress.require("email", email);
    Transactions.run(
        pool,
        connection -> {
          User user = Users.lockOwn(connection, person.id());
          boolean mayMail = Throttle.mayMail(connection, to.key());
          if (mayMail && Users.find(connection, to).isEmpty()) {
            mail.changeEmail(connection, user, to);
          }
          return user;
        });
  }

  /**
   * Closes the caller's account: memberships and sessions end, name and address are erased.
   *
   * @throws Refused 409 for the only owner of an open organization, and for the only operator
   */
  public void close(Caller caller) throws SQLException {
    Principal.Person person = caller.person();
    Transactions.run(
        pool,
        connection -> {
          Users.lockOwnedOrganizations(connection, person.id());
          User user = Users.lockOwn(connection, person.id());
          AccountClosing.close(connection, caller, user);
          return user;
        });
  }

  private static boolean isProofFresh(Connection connection, SessionId session)
      throws SQLException {
    return Statements.exists(
        connection,
        "SELECT 1 FROM user_session"
            + " WHERE id = ? AND proven_at > ledger_now() - interval '10 minutes'",
        session.value());
  }

  private static void set(Connection connection, User user, AccountChanges changes)
      throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_account SET name = coalesce(?, name), timezone = coalesce(?, timezone),"
            + " locale = coalesce(?, locale) WHERE id = ?",
        changes.name(),
        changes.timezone(),
        changes.locale(),
        user.id().value());
  }
}
