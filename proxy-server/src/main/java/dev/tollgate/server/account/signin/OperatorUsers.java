package dev.tollgate.server.account.signin;

import dev.tollgate.server.account.AccountTransactions;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.RefusalReason;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service of all accounts, for operators and the command line. */
public final class OperatorUsers {
  private static final String SELECT =
      """
      SELECT u.id, coalesce(u.email, '') AS email, u.name, u.state, u.is_operator, u.password_hash,
             u.timezone, u.locale, u.created_at, u.version,
             (SELECT max(last_seen_at) FROM user_session s WHERE s.user_id = u.id) AS last_seen_at,
             (SELECT count(*) FROM membership m WHERE m.user_id = u.id)::int AS organizations
        FROM user_account u
      """;

  private final DataSource pool;
  private final AccountMail mail;

  public OperatorUsers(DataSource pool, AccountMail mail) {
    this.pool = pool;
    this.mail = mail;
  }

  /**
   * Account as operators see it.
   *
   * @param organizations number of organizations that the person is a member of
   */
  public record UserEntry(
      UserId id,
      String email,
      String name,
      @OneOf(UserState.class) String state,
      boolean operator,
      boolean password,
      int organizations,
      Instant createdAt,
      @Nullable Instant lastSeenAt,
      int version)
      implements Versioned {}

  /**
   * Filter of the list of accounts; null: any.
   *
   * @param q part of an address or a name
   */
  public record UserQuery(
      @Nullable String q, @Nullable UserState state, @Nullable Boolean operator) {
    public static final UserQuery ALL = new UserQuery(null, null, null);
  }

  /** Changes of an account; null keeps. */
  public record UserChanges(
      @Nullable UserState state, @Nullable Boolean operator, @Nullable Integer version) {}

  /** Account to create, which is active at once; its password is set by a link. */
  public record UserCreation(String email, @Nullable String name, boolean operator) {}

  /** Returns a part of the accounts, the latest first. */
  public Slice<UserEntry> list(Caller caller, UserQuery query, Page page) throws SQLException {
    caller.requireOperatorInPerson();
    SqlParts sql =
        new SqlParts()
            .add(SELECT)
            .add("WHERE true")
            .and(
                query.q(),
                "(strpos(lower(u.email), lower(?)) > 0 OR strpos(lower(u.name), lower(?)) > 0)")
            .and(query.state() == null ? null : query.state().wire(), "u.state = ?")
            .and(query.operator(), "u.is_operator = ?")
            .andEach(
                page.position(Page.UUID),
                "(u.created_at, u.id) <"
                    + " (SELECT a.created_at, a.id FROM user_account a WHERE a.id = ?::uuid)")
            .add("ORDER BY u.created_at DESC, u.id DESC LIMIT ?", page.limit() + 1);
    return page.slice(sql.list(pool, OperatorUsers::entry), each -> each.id().toString());
  }

  /**
   * Returns an account.
   *
   * @throws Refused 404
   */
  public UserEntry get(Caller caller, UserId id) throws SQLException {
    caller.requireOperatorInPerson();
    try (Connection connection = pool.getConnection()) {
      return entry(connection, id);
    }
  }

  /** Returns the account of an address; empty if there is none. */
  public Optional<UserEntry> find(Caller caller, String email) throws SQLException {
    caller.requireOperatorInPerson();
    try (Connection connection = pool.getConnection()) {
      EmailAddress address = EmailAddress.require("email", email);
      Optional<User> user = Users.find(connection, address);
      return user.isPresent() ? Optional.of(entry(connection, user.get().id())) : Optional.empty();
    }
  }

  /**
   * Creates an active account and returns the link that sets its password, to be handed on.
   *
   * @throws Refused 400; 409 if the address is taken
   */
  public String create(Caller caller, UserCreation creation) throws SQLException {
    caller.requireOperatorInPerson();
    EmailAddress email = EmailAddress.require("email", creation.email());
    String name = creation.name() == null ? email.text() : creation.name();
    return Transactions.run(
        pool,
        connection -> {
          User user =
              Users.insert(
                      connection,
                      new NewUser(email, name, UserState.ACTIVE, creation.operator(), null))
                  .orElseThrow(() -> Refused.conflict(RefusalReason.EMAIL_TAKEN));
          AuditTrail.write(
              connection,
              caller,
              AuditAction.USER_CREATE,
              user.target(),
              new Change("operator", false, creation.operator()));
          return mail.resetLink(connection, user);
        });
  }

  /**
   * Disables or enables an account, or gives or takes an operator's rights.
   *
   * @throws Refused 404; 409 for the last operator, the last owner of an organization, an account
   *     that is closed, and one that was changed meanwhile
   */
  public UserEntry change(Caller caller, UserId id, UserChanges changes) throws SQLException {
    caller.requireOperatorInPerson();
    if (changes.state() == UserState.PENDING || changes.state() == UserState.CLOSED) {
      throw Refused.invalid("state", "must be active or disabled");
    }
    return AccountTransactions.run(
        pool,
        connection -> {
          Users.lockOwnedOrganizations(connection, id);
          User user = Users.lock(connection, id).orElseThrow(Refused::notFound);
          Versioned.requireSeen(changes.version(), user.version());
          setState(connection, caller, user, changes.state());
          setOperator(connection, caller, user, changes.operator());
          return entry(connection, id);
        });
  }

  private void setState(Connection connection, Caller caller, User user, @Nullable UserState state)
      throws SQLException {
    if (state == null || state == user.state()) {
      return;
    }
    if (user.state() == UserState.CLOSED) {
      throw Refused.notFound();
    }
    boolean isDisabled = state == UserState.DISABLED;
    if (isDisabled && user.isOperator()) {
      Users.requireOtherOperator(connection, user.id());
    }
    Statements.update(
        connection,
        "UPDATE user_account SET state = ?, verified_at = coalesce(verified_at, ledger_now())"
            + " WHERE id = ?",
        state.wire(),
        user.id().value());
    AuditTrail.write(
        connection,
        caller,
        isDisabled ? AuditAction.USER_DISABLE : AuditAction.USER_ENABLE,
        user.target(),
        new Change("state", user.state().wire(), state.wire()));
    mail.accountChanged(connection, user, isDisabled ? "was disabled" : "was enabled");
  }

  private void setOperator(
      Connection connection, Caller caller, User user, @Nullable Boolean operator)
      throws SQLException {
    if (operator == null || operator == user.isOperator()) {
      return;
    }
    if (user.state() == UserState.CLOSED) {
      throw Refused.notFound();
    }
    if (!operator) {
      Users.requireOtherOperator(connection, user.id());
    }
    Statements.update(
        connection,
        "UPDATE user_account SET is_operator = ? WHERE id = ?",
        operator,
        user.id().value());
    Sessions.renewAll(connection, user.id());
    AuditTrail.write(
        connection,
        caller,
        AuditAction.USER_OPERATOR,
        user.target(),
        new Change("operator", user.isOperator(), operator));
    mail.accountChanged(
        connection, user, operator ? "is an operator now" : "is no operator any more");
  }

  /**
   * Makes a link that sets a new password, and sends it if mails reach people.
   *
   * @return the link, to be handed on; empty if it was sent
   * @throws Refused 404
   */
  public Optional<String> resetLink(Caller caller, UserId id) throws SQLException {
    caller.requireOperatorInPerson();
    return Transactions.run(
        pool,
        connection -> {
          User user = open(connection, id);
          String link = mail.reset(connection, user);
          AuditTrail.write(connection, caller, AuditAction.USER_PASSWORD_RESET, user.target());
          return mail.reachesPeople() ? Optional.empty() : Optional.of(link);
        });
  }

  /** Makes a link that sets a new password for the command line, which prints it. */
  public String printedResetLink(Caller caller, UserId id) throws SQLException {
    caller.requireOperatorInPerson();
    return Transactions.run(
        pool,
        connection -> {
          User user = open(connection, id);
          AuditTrail.write(connection, caller, AuditAction.USER_PASSWORD_RESET, user.target());
          return mail.resetLink(connection, user);
        });
  }

  /**
   * Ends all sessions of a person; returns their number.
   *
   * @throws Refused 404
   */
  public int endSessions(Caller caller, UserId id) throws SQLException {
    caller.requireOperatorInPerson();
    return Transactions.run(
        pool,
        connection -> {
          User user = Users.lock(connection, id).orElseThrow(Refused::notFound);
          int ended = Sessions.endAll(connection, id, null, Sessions.End.ENDED_BY_OPERATOR).size();
          AuditTrail.write(connection, caller, AuditAction.SESSION_REVOKE, user.target());
          if (user.state() != UserState.CLOSED) {
            mail.accountChanged(connection, user, "was signed out everywhere");
          }
          return ended;
        });
  }

  private static User open(Connection connection, UserId id) throws SQLException {
    return Users.lock(connection, id)
        .filter(user -> user.state() != UserState.CLOSED)
        .orElseThrow(Refused::notFound);
  }

  private static UserEntry entry(Connection connection, UserId id) throws SQLException {
    return Statements.first(
            connection, SELECT + " WHERE u.id = ?", OperatorUsers::entry, id.value())
        .orElseThrow(Refused::notFound);
  }

  private static UserEntry entry(ResultSet row) throws SQLException {
    return new UserEntry(
        new UserId(row.getObject("id", UUID.class)),
        row.getString("email"),
        row.getString("name"),
        row.getString("state"),
        row.getBoolean("is_operator"),
        row.getString("password_hash") != null,
        row.getInt("organizations"),
        Statements.requiredInstant(row, "created_at"),
        Statements.instant(row, "last_seen_at"),
        row.getInt("version"));
  }
}
