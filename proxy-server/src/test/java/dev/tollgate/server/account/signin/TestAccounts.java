package dev.tollgate.server.account.signin;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.mail.MailLinks;
import dev.tollgate.server.mail.MailOutbox;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Organizations.OrgCreation;
import dev.tollgate.server.postgres.tenants.Seal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** All services of accounts on a database of their own, as one node has them. */
final class TestAccounts implements AutoCloseable {
  static final Secret PASSWORD = new Secret(KnownPassword.TEXT);
  static final SessionOptions OPTIONS =
      new SessionOptions(Duration.ofHours(12), Duration.ofDays(7));

  final Store store;
  final Passwords passwords;
  final Throttle throttle;
  final Sessions sessions;
  final ControlAuthenticator authenticator;
  final SignIn signIn;
  final SignUp signUp;
  final EmailVerification verification;
  final PasswordReset reset;
  final OwnAccount own;
  final SetUp setUp;
  final OperatorUsers users;
  final SessionViews views;

  /** Returns services on a new database. */
  static TestAccounts make() throws Exception {
    return new TestAccounts(SharedPostgres.newStore());
  }

  /** Returns the services of one more node on a store. */
  TestAccounts(Store store) {
    this(store, new Passwords(new Passwords.Argon2id(KnownPassword.CHEAP)));
  }

  TestAccounts(Store store, Passwords passwords) {
    this.store = store;
    this.passwords = passwords;
    var pool = store.pool();
    var outbox = new MailOutbox(pool, new Seal(List.of()), false);
    var mail = new AccountMail(outbox, new MailLinks(() -> "https://gate.example"));
    throttle = new Throttle(pool);
    sessions = new Sessions(pool, OPTIONS);
    views = new SessionViews(pool, OPTIONS);
    authenticator = new ControlAuthenticator(pool, OPTIONS);
    signIn =
        new SignIn(
            pool, new SignIn.Parts(throttle, passwords, sessions, views, mail, new SignInCounts()));
    signUp = new SignUp(pool, throttle, passwords, mail, true);
    verification = new EmailVerification(pool, mail);
    reset = new PasswordReset(pool, passwords, mail);
    own = new OwnAccount(pool, signIn, sessions, passwords, mail);
    setUp = new SetUp(pool, passwords, signIn, mail);
    users = new OperatorUsers(pool, mail);
  }

  static Caller anonymous(String ip) {
    return new Caller(new Principal.Anonymous(), ip, "Test/1", "req_test");
  }

  static Caller anonymous() {
    return anonymous("192.0.2.1");
  }

  /** Creates an account with {@link #PASSWORD}. */
  User user(String email, UserState state, boolean isOperator) throws SQLException {
    var address = EmailAddress.parse(email).orElseThrow();
    var created = state == UserState.PENDING ? UserState.PENDING : UserState.ACTIVE;
    Secret hash = passwords.hash(PASSWORD);
    User user =
        Transactions.run(
            store.pool(),
            connection ->
                Users.insert(connection, new NewUser(address, "N", created, isOperator, hash))
                    .orElseThrow());
    if (state == UserState.DISABLED) {
      sql("UPDATE user_account SET state = 'disabled' WHERE id = '" + user.id() + "'");
    }
    return user;
  }

  User user(String email) throws SQLException {
    return user(email, UserState.ACTIVE, false);
  }

  /** Signs in with {@link #PASSWORD}; returns the cookie. */
  String cookie(User user) throws SQLException {
    return signIn
        .signIn(anonymous(), new SignIn.SignInRequest(user.email(), PASSWORD))
        .cookie()
        .reveal();
  }

  /** Returns the caller of a cookie. */
  Caller caller(String cookie) throws SQLException {
    return new Caller(
        authenticator.bySession(cookie).principal(), "192.0.2.1", "Test/1", "req_test");
  }

  static SessionId session(Caller caller) {
    return caller.person().session();
  }

  OrgId org(String name, UserId... owners) throws SQLException {
    OrgId org =
        switch (store.organizations().create(name, null)) {
          case OrgCreation.Created created -> created.org().org().id();
          case OrgCreation.NameTaken _ -> throw new AssertionError(name);
        };
    for (UserId owner : owners) {
      sql(
          "INSERT INTO membership (org_id, user_id, role) VALUES ('%s', '%s', 'owner')"
              .formatted(org, owner));
    }
    return org;
  }

  void sql(String sql) throws SQLException {
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the first column of a query as text. */
  List<@Nullable String> query(String sql) throws SQLException {
    try (Connection connection = store.pool().getConnection();
        PreparedStatement select = connection.prepareStatement(sql);
        ResultSet row = select.executeQuery()) {
      List<@Nullable String> all = new ArrayList<>();
      while (row.next()) {
        all.add(row.getString(1));
      }
      return all;
    }
  }

  /** Returns the secret in the link of the last mail of a kind. */
  String secretMailed(String kind) throws SQLException {
    String message =
        query(
                "SELECT convert_from(message, 'UTF8') FROM mail_outbox WHERE kind = '"
                    + kind
                    + "' ORDER BY created_at DESC, id LIMIT 1")
            .getFirst();
    int hash = message.indexOf('#');
    return message.substring(hash + 1, message.indexOf('"', hash));
  }

  /** Returns the code of a refusal, with its reason if it has one. */
  static String refusal(ThrowingCallable call) {
    try {
      call.call();
    } catch (Refused refused) {
      Object reason = refused.fault().details().get("reason");
      ErrorCode code = refused.fault().code();
      return reason == null ? code.wire() : code.wire() + " " + reason;
    } catch (Throwable other) {
      throw new AssertionError(other);
    }
    return "none";
  }

  static UserId unknownUser() {
    return new UserId(UUID.randomUUID());
  }

  @Override
  public void close() {
    passwords.close();
    store.close();
  }
}
