package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.account.AuditTrail;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.signin.SetUp.SetUpRequest;
import dev.tollgate.server.account.signin.SignIn.SignInRequest;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsLoader;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first start of a gateway with accounts, and what its logs and metrics show. */
class AccountModuleIT {
  private static final Secret PASSWORD = new Secret("correct horse 9 battery");
  private static final Caller BROWSER =
      new Caller(new Principal.Anonymous(), "192.0.2.1", "Test/1", "req_test");

  @TempDir private Path folder;
  private final Metrics metrics = new Metrics();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private Store store;

  @BeforeEach
  void open() throws Exception {
    store = SharedPostgres.newStore();
    log.start();
    Logback.logger(AccountModule.class).addAppender(log);
  }

  @AfterEach
  void close() {
    Logback.logger(AccountModule.class).detachAppender(log);
    store.close();
  }

  private Settings settings(String more) throws Exception {
    Path file = folder.resolve("tollgate.yaml");
    Files.writeString(
        file,
        "version: 1\nstore: { data_dir: ./data }\nproviders: { mock: { type: mock } }\n"
            + "models: {}\n"
            + more);
    return switch (new SettingsLoader(ProcessEnvironment.current()).load(file, List.of())) {
      case LoadResult.Valid valid -> valid.settings();
      case LoadResult.Invalid invalid -> throw new AssertionError(invalid.problems());
    };
  }

  private AccountModule begin(Settings settings) throws Exception {
    return AccountModule.begin(
        settings, store, store.pool(), () -> "http://127.0.0.1:8081", metrics);
  }

  @Test
  void theFirstStartHasALinkThatSignsAnOperatorIn() throws Exception {
    long signInsBefore = signInsInTheAuditLog();
    try (var module = begin(settings(""))) {
      String link = module.setUp(null).orElseThrow();
      assertThat(link).startsWith("http://127.0.0.1:8081/setup#");
      var token = new Secret(link.substring(link.indexOf('#') + 1));

      var services = module.services();
      assertThat(
              services
                  .setUp()
                  .complete(BROWSER, new SetUpRequest(token, "a@b.example", PASSWORD, "N"))
                  .session()
                  .operator())
          .isTrue();
      assertThat(services.signIn().signIn(BROWSER, new SignInRequest("a@b.example", PASSWORD)))
          .isNotNull();

      assertThat(module.setUp(null)).isEmpty();
      assertThat(metrics.scrape(null).text())
          .contains("tollgate_control_sign_ins_total{result=\"succeeded\"} 1.0")
          .contains("tollgate_control_mail_total{result=\"sent\"} 0.0")
          .contains("tollgate_control_password_queue_depth 0.0")
          .contains("tollgate_control_audit_rows_total{action=\"key.rotate\"} ");
      assertThat(signInsInTheAuditLog()).isEqualTo(signInsBefore + 1);
      assertThat(log.list.toString()).doesNotContain(token.reveal());
    }
  }

  private static long signInsInTheAuditLog() {
    return AuditTrail.committed().getOrDefault(List.of("session.sign_in"), 0L);
  }

  @Test
  void theConfigurationMayNameTheFirstOperator() throws Exception {
    Settings settings =
        settings(
            "bootstrap: { admin_email: boss@a.example, admin_password: 'correct horse 9 battery'"
                + " }\n");
    try (var module = begin(settings)) {
      assertThat(module.setUp(settings.bootstrap())).isEmpty();
      assertThat(
              module
                  .services()
                  .signIn()
                  .signIn(BROWSER, new SignInRequest("boss@a.example", PASSWORD))
                  .session()
                  .operator())
          .isTrue();
      assertThat(log.list).isEmpty();

      assertThat(module.setUp(settings.bootstrap())).isEmpty();
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly("bootstrap.admin_email has no effect: the store has an account");
    }
  }

  @Test
  void aMailServersUrlThatIsNoneFailsTheStartWithoutItsPassword() throws Exception {
    Settings settings =
        settings("control_plane: { email: { smtp: 'http://u:s3cr3t@mail', from: a@b.example } }\n");

    assertThatThrownBy(() -> begin(settings))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("control_plane.email.smtp")
        .hasMessageNotContaining("s3cr3t");
  }
}
