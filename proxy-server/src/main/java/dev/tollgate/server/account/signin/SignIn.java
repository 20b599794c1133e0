package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.SignInCounts.Result;
import dev.tollgate.server.account.signin.Throttle.Attempt;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service that signs people in with address and password, and lets them prove their identity again.
 * Unknown addresses and wrong passwords get the same answer in the same time.
 */
public final class SignIn {
  /** Failures of an account in the window of the throttle after which its owner is warned. */
  static final int FAILURES_BEFORE_WARNING = 10;

  private static final List<String> BY_PASSWORD = List.of("pwd");

  private final DataSource pool;
  private final Throttle throttle;
  private final Passwords passwords;
  private final Sessions sessions;
  private final SessionViews views;
  private final AccountMail mail;
  private final SignInCounts counts;

  /** Services of the other classes that a sign-in needs. */
  public record Parts(
      Throttle throttle,
      Passwords passwords,
      Sessions sessions,
      SessionViews views,
      AccountMail mail,
      SignInCounts counts) {}

  public SignIn(DataSource pool, Parts parts) {
    this.pool = pool;
    this.throttle = parts.throttle();
    this.passwords = parts.passwords();
    this.sessions = parts.sessions();
    this.views = parts.views();
    this.mail = parts.mail();
    this.counts = parts.counts();
  }

  /** Address and password as a person typed them. */
  public record SignInRequest(String email, Secret password) {}

  /** Result of a transaction that is committed even if the call is refused. */
  private sealed interface Outcome {
    record Accepted(SignedIn signedIn) implements Outcome {}

    record Rejected(Refused why) implements Outcome {}
  }

  /**
   * Signs a person in.
   *
   * @throws Refused 401 for an unknown address or a wrong password; 403 for an account that is
   *     disabled or whose address is not verified; 429 after too many failures
   */
  public SignedIn signIn(Caller caller, SignInRequest request) throws SQLException {
    Optional<EmailAddress> email = EmailAddress.parse(request.email());
    String account = email.map(EmailAddress::key).orElse(request.email().toLowerCase(Locale.ROOT));
    Attempt attempt = begin(account, caller);
    User user = email.isEmpty() ? null : find(email.get());
    if (!verify(attempt, request.password(), user) || user == null || isClosed(user)) {
      counts.add(Result.FAILED);
      failed(caller, account, attempt, user);
      throw Refused.of(ErrorCode.INVALID_CREDENTIALS, "The address or the password is wrong.");
    }
    Secret rehashed = rehashed(user, request.password());
    Outcome outcome =
        Transactions.run(pool, connection -> proven(connection, caller, attempt, user, rehashed));
    return switch (outcome) {
      case Outcome.Accepted(SignedIn signedIn) -> {
        counts.add(Result.SUCCEEDED);
        yield signedIn;
      }
      case Outcome.Rejected(Refused why) -> {
        counts.add(Result.REFUSED);
        throttle.takeBack(attempt);
        throw why;
      }
    };
  }

  /**
   * Proves the identity of a signed-in person again; the session gets a new id and cookie.
   *
   * @throws Refused 401 for a wrong password; 429 after too many failures
   */
  public RandomSecret proveAgain(Caller caller, Secret password) throws SQLException {
    Principal.Person person = caller.person();
    User user = requireOwnPassword(caller, password);
    return Transactions.run(
        pool,
        connection -> {
          var session = sessions.start(connection, caller, person.id(), BY_PASSWORD);
          AuditTrail.write(connection, caller, AuditAction.SESSION_REAUTHENTICATE, user.target());
          return session.cookie();
        });
  }

  /**
   * Requires the password of the signed-in person; failures count as those of sign-ins do.
   *
   * @throws Refused 401 for a wrong password; 429 after too many failures
   */
  User requireOwnPassword(Caller caller, Secret password) throws SQLException {
    Principal.Person person = caller.person();
    User user;
    try (Connection connection = pool.getConnection()) {
      user = Users.find(connection, person.id()).orElseThrow(Refused::unauthenticated);
    }
    String account = user.address().key();
    Attempt attempt = begin(account, caller);
    if (!verify(attempt, password, user)) {
      counts.add(Result.FAILED);
      failed(caller, account, attempt, user);
      throw Refused.of(ErrorCode.INVALID_CREDENTIALS, "The password is wrong.");
    }
    Transactions.run(
        pool,
        connection -> {
          throttle.succeeded(connection, attempt);
          return user;
        });
    return user;
  }

  private Attempt begin(String account, Caller caller) throws SQLException {
    try {
      return throttle.begin(account, caller.ip());
    } catch (Refused tooMany) {
      counts.add(Result.THROTTLED);
      throw tooMany;
    }
  }

  /** The connection is given back before the password is hashed, which takes long. */
  private @Nullable User find(EmailAddress email) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return Users.find(connection, email).orElse(null);
    }
  }

  private boolean verify(Attempt attempt, Secret password, @Nullable User user)
      throws SQLException {
    try {
      return passwords.verify(password, user == null ? null : user.passwordHash());
    } catch (Refused queueFull) {
      counts.add(Result.THROTTLED);
      throttle.takeBack(attempt);
      throw queueFull;
    }
  }

  private static boolean isClosed(User user) {
    return user.state() == UserState.CLOSED;
  }

  private @Nullable Secret rehashed(User user, Secret password) {
    Secret hash = user.passwordHash();
    return hash != null && passwords.isOutdated(hash) ? passwords.hash(password) : null;
  }

  private Outcome proven(
      Connection connection,
      Caller caller,
      Attempt attempt,
      User checked,
      @Nullable Secret rehashed)
      throws SQLException {
    User user = Users.lock(connection, checked.id()).orElse(checked);
    Secret hash = user.passwordHash();
    if (hash == null || !Objects.equals(hash, checked.passwordHash())) {
      // The password was changed while the old one was being checked.
      return new Outcome.Rejected(
          Refused.of(ErrorCode.INVALID_CREDENTIALS, "The address or the password is wrong."));
    }
    return switch (user.state()) {
      case PENDING -> {
        mail.verifyIfAllowed(connection, user);
        yield new Outcome.Rejected(
            Refused.of(
                ErrorCode.EMAIL_NOT_VERIFIED, "Confirm your address by the link in your mailbox."));
      }
      case DISABLED ->
          new Outcome.Rejected(
              Refused.of(ErrorCode.ACCOUNT_DISABLED, "An operator disabled your account."));
      case ACTIVE -> {
        if (rehashed != null) {
          Users.setPassword(connection, user.id(), rehashed);
        }
        throttle.succeeded(connection, attempt);
        yield new Outcome.Accepted(begin(connection, caller, user, AuditAction.SESSION_SIGN_IN));
      }
      case CLOSED ->
          new Outcome.Rejected(
              Refused.of(ErrorCode.INVALID_CREDENTIALS, "The address or the password is wrong."));
    };
  }

  /**
   * Starts a session of a person who has just proved the identity, by a password or by a link, and
   * writes its audit row.
   */
  public SignedIn begin(Connection connection, Caller caller, User user, AuditAction action)
      throws SQLException {
    var session = sessions.start(connection, caller, user.id(), BY_PASSWORD);
    AuditTrail.write(connection, session.caller(caller, user), action, user.target());
    return new SignedIn(session.cookie(), views.of(connection, user.id(), session.id()));
  }

  /** Signs in a person who has just made an account by a link. */
  public SignedIn begin(Caller caller, UserId id) throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          User user = Users.lock(connection, id).orElseThrow(Refused::unauthenticated);
          return begin(connection, caller, user, AuditAction.SESSION_SIGN_IN);
        });
  }

  /** Commits one small change for known and unknown accounts alike, so that both take as long. */
  private void failed(Caller caller, String account, Attempt attempt, @Nullable User user)
      throws SQLException {
    Transactions.run(
        pool,
        connection -> {
          if (user == null || isClosed(user)) {
            touch(connection, attempt);
            return account;
          }
          AuditTrail.write(connection, caller, AuditAction.SESSION_SIGN_IN_FAILED, user.target());
          if (attempt.failuresOfAccount() >= FAILURES_BEFORE_WARNING
              && Throttle.mayWarn(connection, account)) {
            mail.signInsFailed(connection, user);
          }
          return account;
        });
  }

  private static void touch(Connection connection, Attempt attempt) throws SQLException {
    Statements.update(
        connection, "UPDATE sign_in_throttle SET count = count WHERE bucket = ?", attempt.first());
  }
}
