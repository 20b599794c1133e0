package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.signin.AccountMail;
import dev.tollgate.server.account.signin.ControlAuthenticator;
import dev.tollgate.server.account.signin.EmailVerification;
import dev.tollgate.server.account.signin.OperatorUsers;
import dev.tollgate.server.account.signin.OwnAccount;
import dev.tollgate.server.account.signin.PasswordReset;
import dev.tollgate.server.account.signin.Passwords;
import dev.tollgate.server.account.signin.SessionOptions;
import dev.tollgate.server.account.signin.SessionViews;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.account.signin.SetUp;
import dev.tollgate.server.account.signin.SignIn;
import dev.tollgate.server.account.signin.SignInCounts;
import dev.tollgate.server.account.signin.SignUp;
import dev.tollgate.server.account.signin.Throttle;
import dev.tollgate.server.account.tenant.SpendingAlerts;
import dev.tollgate.server.mail.MailLinks;
import dev.tollgate.server.mail.MailOutbox;
import dev.tollgate.server.mail.MailSender;
import dev.tollgate.server.metrics.AccountFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.BootstrapSettings;
import dev.tollgate.server.settings.ControlPlaneSettings;
import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wiring of the services of people's accounts, and of their mail. */
public final class AccountModule implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccountModule.class);

  /** Folder of mails in {@code store.data_dir}. */
  private static final String MAIL_FOLDER = "mail";

  private final Passwords passwords;
  private final MailSender sender;
  private final Services services;

  private AccountModule(Passwords passwords, MailSender sender, Services services) {
    this.passwords = passwords;
    this.sender = sender;
    this.services = services;
  }

  /** Services of accounts for the control listener. */
  record Services(
      ControlAuthenticator authenticator,
      Sessions sessions,
      SessionViews views,
      SignIn signIn,
      SignUp signUp,
      EmailVerification verification,
      PasswordReset reset,
      OwnAccount own,
      SetUp setUp,
      OperatorUsers users,
      MailOutbox outbox,
      Passwords passwords,
      AccountMail mail,
      SpendingAlertTimer alerts) {}

  /**
   * Makes the services and starts to send mails.
   *
   * @param pool connections of the control plane
   * @param dashboardUrl URL of the dashboard, for links
   * @throws StartException if the mail server's URL is not valid
   */
  static AccountModule begin(
      Settings settings,
      Store store,
      DataSource pool,
      Supplier<String> dashboardUrl,
      Metrics metrics)
      throws StartException {
    var outbox = outbox(settings, store, pool);
    MailSender sender = sender(settings, outbox);
    var passwords = new Passwords();
    var counts = new SignInCounts();
    var mail = new AccountMail(outbox, new MailLinks(dashboardUrl));
    var alerts = SpendingAlertTimer.start(new SpendingAlerts(pool, new OutboxOrgMail(outbox)));
    var module =
        new AccountModule(
            passwords, sender, services(settings, pool, passwords, mail, counts, alerts));
    metrics.counters(AccountFamily.SIGN_INS, counts::totals);
    metrics.gauge(AccountFamily.PASSWORD_QUEUE, passwords::waiting);
    metrics.counters(AccountFamily.MAILS, () -> totals(sender));
    metrics.counters(AccountFamily.AUDIT_ROWS, AuditTrail::committed);
    sender.start();
    return module;
  }

  private static Services services(
      Settings settings,
      DataSource pool,
      Passwords passwords,
      AccountMail mail,
      SignInCounts counts,
      SpendingAlertTimer alerts) {
    var throttle = new Throttle(pool);
    SessionOptions options = options(settings);
    var sessions = new Sessions(pool, options);
    var views = new SessionViews(pool, options);
    var signIn =
        new SignIn(pool, new SignIn.Parts(throttle, passwords, sessions, views, mail, counts));
    boolean isOpen = settings.controlPlane().signup() == ControlPlaneSettings.Signup.OPEN;
    return new Services(
        new ControlAuthenticator(pool, options),
        sessions,
        views,
        signIn,
        new SignUp(pool, throttle, passwords, mail, isOpen),
        new EmailVerification(pool, mail),
        new PasswordReset(pool, passwords, mail),
        new OwnAccount(pool, signIn, sessions, passwords, mail),
        new SetUp(pool, passwords, signIn, mail),
        new OperatorUsers(pool, mail),
        mail.outbox(),
        passwords,
        mail,
        alerts);
  }

  static MailOutbox outbox(Settings settings, Store store, DataSource pool) {
    return new MailOutbox(pool, store.seal(), settings.controlPlane().email().smtp() != null);
  }

  private static MailSender sender(Settings settings, MailOutbox outbox) throws StartException {
    ControlPlaneSettings.Email email = settings.controlPlane().email();
    Path configured = email.directory();
    Path directory =
        configured == null ? settings.store().dataDir().resolve(MAIL_FOLDER) : configured;
    try {
      return MailSender.of(outbox, email.smtp(), email.from(), directory);
    } catch (IllegalArgumentException e) {
      throw new StartException(String.valueOf(e.getMessage()));
    }
  }

  private static Map<List<String>, Long> totals(MailSender sender) {
    return Map.of(
        List.of("sent"), sender.sent(),
        List.of("retried"), sender.retried(),
        List.of("failed"), sender.failed());
  }

  private static SessionOptions options(Settings settings) {
    ControlPlaneSettings.Session session = settings.controlPlane().session();
    return new SessionOptions(session.idle(), session.absolute());
  }

  /** Returns the service of all accounts for a command, which prints the links itself. */
  public static OperatorUsers users(Settings settings, Store store) {
    var links = new MailLinks(() -> configuredUrl(settings.listeners().control()));
    return new OperatorUsers(
        store.pool(), new AccountMail(outbox(settings, store, store.pool()), links));
  }

  /** Returns the service of sessions for a command. */
  public static Sessions sessions(Settings settings, Store store) {
    return new Sessions(store.pool(), options(settings));
  }

  /** A command does not know a port that the system chose. */
  private static String configuredUrl(ListenerSettings.Control control) {
    HttpUrl url = control.publicUrl();
    BindAddress address = control.address();
    if (url != null) {
      return url.toString();
    }
    return address == null
        ? "http://127.0.0.1"
        : "http://"
            + (address.isWildcard() ? new BindAddress("127.0.0.1", address.port()) : address);
  }

  Services services() {
    return services;
  }

  /**
   * Creates the first account as the configuration says, or makes a link for it; called once when
   * the gateway is ready.
   *
   * @return the link, which is shown once and never logged; empty if the store has an account
   */
  Optional<String> setUp(@Nullable BootstrapSettings bootstrap) throws SQLException {
    String email = bootstrap == null ? null : bootstrap.adminEmail();
    Secret password = bootstrap == null ? null : bootstrap.adminPassword();
    if (email == null || password == null) {
      return services.setUp().begin();
    }
    try {
      if (!services.setUp().bootstrap(email, password)) {
        LOG.warn("bootstrap.admin_email has no effect: the store has an account");
      }
      return Optional.empty();
    } catch (Refused refused) {
      LOG.warn("bootstrap.admin_email has no effect: {}", refused.getMessage());
      return services.setUp().begin();
    }
  }

  @Override
  public void close() {
    services.alerts().close();
    sender.close();
    passwords.close();
  }
}
