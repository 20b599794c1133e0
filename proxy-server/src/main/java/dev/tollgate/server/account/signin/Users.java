package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** DAO of the accounts of people, whose callers hold the transaction and write the audit log. */
public final class Users {
  /** Makes the look at the other operators and the change one step. */
  private static final long OPERATORS_LOCK = 7_455_841;

  private static final String SELECT =
      """
      SELECT id, coalesce(email, '') AS email, name, state, is_operator, password_hash, timezone,
             locale, created_at, version
        FROM user_account
      """;

  private Users() {}

  /**
   * Account to create.
   *
   * @param passwordHash null: the person sets a password by a link
   */
  public record NewUser(
      EmailAddress email,
      String name,
      UserState state,
      boolean isOperator,
      @Nullable Secret passwordHash) {}

  /** Creates an account; empty if the address is taken. */
  public static Optional<User> insert(Connection connection, NewUser user) throws SQLException {
    var id = new UserId(UUID.randomUUID());
    Secret hash = user.passwordHash();
    int inserted =
        Statements.update(
            connection,
            """
            INSERT INTO user_account (id, email, email_key, name, state, is_operator, password_hash,
                                      password_at, verified_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, CASE WHEN ? THEN ledger_now() END,
                    CASE WHEN ? THEN ledger_now() END)
            ON CONFLICT (email_key) DO NOTHING""",
            id.value(),
            user.email().text(),
            user.email().key(),
            user.name(),
            user.state().wire(),
            user.isOperator(),
            hash == null ? null : hash.reveal(),
            hash != null,
            user.state() == UserState.ACTIVE);
    return inserted == 0 ? Optional.empty() : find(connection, id);
  }

  public static Optional<User> find(Connection connection, UserId id) throws SQLException {
    return one(connection, " WHERE id = ?", id.value());
  }

  public static Optional<User> find(Connection connection, EmailAddress email) throws SQLException {
    return one(connection, " WHERE email_key = ?", email.key());
  }

  /** Returns the account and locks its row. */
  public static Optional<User> lock(Connection connection, UserId id) throws SQLException {
    return one(connection, " WHERE id = ? FOR NO KEY UPDATE", id.value());
  }

  /** Returns the account that the person's own call is about, and locks its row. */
  static User lockOwn(Connection connection, UserId id) throws SQLException {
    return lock(connection, id).orElseThrow(Refused::unauthenticated);
  }

  /** Returns whether the store has any account. */
  static boolean exist(Connection connection) throws SQLException {
    return Statements.exists(connection, "SELECT 1 FROM user_account LIMIT 1");
  }

  static void setPassword(Connection connection, UserId id, Secret hash) throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_account SET password_hash = ?, password_at = ledger_now() WHERE id = ?",
        hash.reveal(),
        id.value());
  }

  /** Marks the address of a pending account as verified. */
  static void activate(Connection connection, UserId id) throws SQLException {
    Statements.update(
        connection,
        "UPDATE user_account SET state = 'active', verified_at = ledger_now()"
            + " WHERE id = ? AND state = 'pending'",
        id.value());
  }

  /**
   * Locks the organizations that a person is an owner of, in the order in which all changes lock
   * them; called before the row of the account is locked.
   */
  static void lockOwnedOrganizations(Connection connection, UserId id) throws SQLException {
    boolean _ =
        Statements.exists(
            connection,
            """
            SELECT 1 FROM organization
             WHERE id IN (SELECT org_id FROM membership WHERE user_id = ? AND role = 'owner')
             ORDER BY id FOR NO KEY UPDATE""",
            id.value());
  }

  /**
   * Requires that an active operator remains without this one.
   *
   * @throws Refused 409 if it is the last
   */
  static void requireOtherOperator(Connection connection, UserId id) throws SQLException {
    Statements.lock(connection, OPERATORS_LOCK);
    boolean isOther =
        Statements.exists(
            connection,
            "SELECT 1 FROM user_account WHERE is_operator AND state = 'active' AND id <> ?",
            id.value());
    if (!isOther) {
      throw Refused.conflict(RefusalReason.LAST_OPERATOR);
    }
  }

  private static Optional<User> one(Connection connection, String where, Object value)
      throws SQLException {
    return Statements.first(connection, SELECT + where, Users::user, value);
  }

  private static User user(ResultSet row) throws SQLException {
    String hash = row.getString("password_hash");
    return new User(
        new UserId(row.getObject("id", UUID.class)),
        row.getString("email"),
        row.getString("name"),
        UserState.of(row.getString("state")),
        row.getBoolean("is_operator"),
        hash == null ? null : new Secret(hash),
        row.getString("timezone"),
        row.getString("locale"),
        Statements.requiredInstant(row, "created_at"),
        row.getInt("version"));
  }
}
