package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Service that creates the first account of a store: an operator, and owner of the first
 * organization. It works once, by the link that the start printed.
 */
public final class SetUp {
  /** Wrong tokens after which the token of this start no longer works. */
  static final int FAILURES_MAX = 5;

  /** Of set-ups at the same time one is first. */
  private static final long LOCK = 7_455_842;

  private static final String TOKEN =
      """
      SELECT token_hash FROM one_time_token
       WHERE purpose = 'setup' AND used_at IS NULL AND expires_at > ledger_now() AND tries < ?
       FOR UPDATE""";

  private final DataSource pool;
  private final Passwords passwords;
  private final SignIn signIn;
  private final AccountMail mail;

  /** True once an account was seen: a store never loses its last one. */
  private volatile boolean isDone;

  public SetUp(DataSource pool, Passwords passwords, SignIn signIn, AccountMail mail) {
    this.pool = pool;
    this.passwords = passwords;
    this.signIn = signIn;
    this.mail = mail;
  }

  /** What a person typed, with the token of the link. */
  public record SetUpRequest(Secret token, String email, Secret password, String name) {}

  /** True until the store has an account. */
  public boolean isRequired() throws SQLException {
    if (!isDone) {
      try (Connection connection = pool.getConnection()) {
        isDone = Users.exist(connection);
      }
    }
    return !isDone;
  }

  /**
   * Makes a new token, which replaces the one of an earlier start, and returns its link; empty if
   * the store has an account.
   */
  public Optional<String> begin() throws SQLException {
    return Transactions.run(
        pool,
        connection -> {
          lock(connection);
          if (Users.exist(connection)) {
            return Optional.empty();
          }
          RandomSecret token = RandomSecret.generate();
          replaceToken(connection, token);
          return Optional.of(mail.setUpLink(token));
        });
  }

  /**
   * Creates the first account and signs it in.
   *
   * @throws Refused 404 once the store has an account; 401 for a wrong token; 400
   */
  public SignedIn complete(Caller caller, SetUpRequest request) throws SQLException {
    requireToken(request.token());
    NewAccount account = NewAccount.require(request.email(), request.password(), request.name());
    Secret hash = passwords.hash(account.password());
    return Transactions.run(
        pool,
        connection -> {
          lock(connection);
          if (Users.exist(connection)) {
            throw Refused.notFound();
          }
          if (!isToken(connection, request.token())) {
            throw wrongToken();
          }
          User user = create(connection, account, hash);
          return signIn.begin(connection, caller, user, AuditAction.SETUP_COMPLETE);
        });
  }

  /**
   * Creates the first account as the configuration says; returns false if the store has one.
   *
   * @throws Refused 400 if the address or the password is not accepted
   */
  public boolean bootstrap(String email, Secret password) throws SQLException {
    if (!isRequired()) {
      return false;
    }
    NewAccount account = NewAccount.require(email, password, email);
    Secret hash = passwords.hash(account.password());
    return Transactions.run(
        pool,
        connection -> {
          lock(connection);
          if (Users.exist(connection)) {
            return false;
          }
          User user = create(connection, account, hash);
          AuditTrail.write(connection, Caller.cli(), AuditAction.SETUP_COMPLETE, user.target());
          return true;
        });
  }

  /** Checks the token before the password is hashed, and counts wrong ones. */
  private void requireToken(Secret token) throws SQLException {
    boolean isRight =
        Transactions.run(
            pool,
            connection -> {
              boolean isToken = isToken(connection, token);
              // Looked at behind the token: a set-up that took it has made the account.
              if (Users.exist(connection)) {
                throw Refused.notFound();
              }
              if (isToken) {
                return true;
              }
              Statements.update(
                  connection,
                  "UPDATE one_time_token SET tries = tries + 1 WHERE purpose = 'setup'");
              return false;
            });
    if (!isRight) {
      throw wrongToken();
    }
  }

  private static boolean isToken(Connection connection, Secret token) throws SQLException {
    return Statements.first(connection, TOKEN, row -> row.getBytes("token_hash"), FAILURES_MAX)
        .filter(hash -> MessageDigest.isEqual(hash, RandomSecret.hash(token.reveal())))
        .isPresent();
  }

  private static Refused wrongToken() {
    return Refused.of(ErrorCode.INVALID_CREDENTIALS, "The set-up link is wrong or has expired.");
  }

  private static User create(Connection connection, NewAccount account, Secret hash)
      throws SQLException {
    var newUser = new NewUser(account.email(), account.name(), UserState.ACTIVE, true, hash);
    User user =
        Users.insert(connection, newUser)
            .orElseThrow(() -> new IllegalStateException("the first account exists"));
    Statements.update(
        connection,
        """
        INSERT INTO membership (org_id, user_id, role)
        SELECT id, ?, 'owner' FROM organization ORDER BY created_at, id LIMIT 1""",
        user.id().value());
    deleteToken(connection);
    return user;
  }

  private static void deleteToken(Connection connection) throws SQLException {
    Statements.update(connection, "DELETE FROM one_time_token WHERE purpose = 'setup'");
  }

  private static void replaceToken(Connection connection, RandomSecret token) throws SQLException {
    deleteToken(connection);
    Statements.update(
        connection,
        """
        INSERT INTO one_time_token (token_hash, purpose, expires_at)
        VALUES (?, 'setup', ledger_now() + interval '24 hours')""",
        (Object) token.hash());
  }

  private static void lock(Connection connection) throws SQLException {
    Statements.lock(connection, LOCK);
  }
}
