package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Service that creates accounts for anyone, where that is allowed. Its answer does not tell whether
 * the address has an account; the mail does.
 */
public final class SignUp {
  private final DataSource pool;
  private final Throttle throttle;
  private final Passwords passwords;
  private final AccountMail mail;
  private final boolean isOpen;

  /**
   * @param isOpen false: accounts need an invitation
   */
  public SignUp(
      DataSource pool, Throttle throttle, Passwords passwords, AccountMail mail, boolean isOpen) {
    this.pool = pool;
    this.throttle = throttle;
    this.passwords = passwords;
    this.mail = mail;
    this.isOpen = isOpen;
  }

  /** What a person typed. */
  public record SignUpRequest(String email, Secret password, String name) {}

  /**
   * Creates a pending account and sends a link that verifies its address.
   *
   * @throws Refused 403 if accounts need an invitation; 400; 429 after many from one client
   */
  public void signUp(Caller caller, SignUpRequest request) throws SQLException {
    if (!isOpen) {
      throw new Refused(
          Fault.of(ErrorCode.FORBIDDEN, "An account needs an invitation.")
              .withDetails(Map.of("signup", "invite")));
    }
    NewAccount account = NewAccount.require(request.email(), request.password(), request.name());
    Transactions.run(
        pool,
        connection -> {
          throttle.signUp(connection, caller.ip());
          return account;
        });
    Secret hash = passwords.hash(account.password());
    Transactions.run(pool, connection -> createOrTell(connection, caller, account, hash));
  }

  private Optional<User> createOrTell(
      Connection connection, Caller caller, NewAccount account, Secret hash) throws SQLException {
    boolean mayMail = Throttle.mayMail(connection, account.email().key());
    var newUser = new NewUser(account.email(), account.name(), UserState.PENDING, false, hash);
    Optional<User> created = Users.insert(connection, newUser);
    if (created.isPresent()) {
      AuditTrail.write(connection, caller, AuditAction.USER_CREATE, created.get().target());
      if (mayMail) {
        mail.verify(connection, created.get());
      }
      return created;
    }
    Optional<User> existing = Users.find(connection, account.email());
    if (mayMail && existing.isPresent()) {
      tell(connection, existing.get(), account, hash);
    }
    return created;
  }

  private void tell(Connection connection, User user, NewAccount account, Secret hash)
      throws SQLException {
    if (user.state() != UserState.PENDING) {
      mail.accountExists(connection, user);
      return;
    }
    // The mailbox proves who signed up: the last sign-up has the link that works.
    replacePending(connection, user, account.name(), hash);
    mail.verify(connection, user);
  }

  private static void replacePending(Connection connection, User user, String name, Secret hash)
      throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_account SET name = ?, password_hash = ?, password_at = ledger_now()"
            + " WHERE id = ? AND state = 'pending'",
        name,
        hash.reveal(),
        user.id().value());
  }
}
