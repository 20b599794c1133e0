package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.maintenance.StoreMaintenance;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.postgres.tenants.WebhookSecrets.SecretsByKey;
import dev.tollgate.server.postgres.webhook.WebhookEvents.DeliveryAttempt;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts with and without a master key. */
@Tag("chaos")
final class SealedStartIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  private static final String KEY_ID = "f303077a5c578ea7";
  private static final String KEY_MISSING = "tollgate_webhooks_locked{cause=\"key_missing\"}";
  private static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: null }
        admin: { address: "127.0.0.1:0" }
      server: { event_loops: 1, shutdown: { delay: 0s, timeout: 2s } }
      store: { url: embedded, data_dir: ./data, master_keys: [%s] }
      ledger: { audit_interval: 1s }
      object_storage: { directory: ./objects }
      """
          + TestGateway.CHAT_MODEL;

  private static final String AN_EVENT_IS_DUE =
      """
      WITH job AS (
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
          estimated_cost_micro, max_cost_micro, params, metadata, created_at, completed_at,
          expires_at, next_look_at)
        SELECT gen_random_uuid(), o.id, 'k', ?, t::date, 'video', 'test/v', 'mock', 'succeeded', 1,
               1, '{}', '{}', t, t, t, t
          FROM organization o, LATERAL (SELECT now() - interval '1 minute' AS t)
        RETURNING id, org_id, request_id, completed_at)
      INSERT INTO webhook_event (id, org_id, job_id, event, url, request_id, created_at,
        next_attempt_at)
      SELECT ?, org_id, id, 'job.completed', 'https://10.0.0.1/', request_id, completed_at,
             completed_at FROM job""";

  @Test
  void aMasterKeyEncryptsSecretsAndWithoutItWebhooksWait(@TempDir Path folder) throws Exception {
    UUID event = UUID.randomUUID();
    Logger logger = Logback.logger("dev.tollgate.server");
    Logback.logger(WebhookModule.class).setLevel(Level.INFO);
    Logback.logger(StoreMaintenance.class).setLevel(Level.INFO);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.addAppender(lines);
    try {
      try (var gateway = TestGateway.start(folder, CONFIGURATION.formatted(""))) {
        assertThat(shares(gateway)).containsExactly(new SecretsByKey(null, 1, true));
        assertThat(linesWith(lines, "webhook secrets are stored unencrypted")).hasSize(1);
      }
      try (var gateway = TestGateway.start(folder, CONFIGURATION.formatted(KEY))) {
        assertThat(gateway.adminGet("/config").text()).doesNotContain(KEY);
        await(() -> shares(gateway).equals(List.of(new SecretsByKey(KEY_ID, 1, true))));
        await(() -> linesWith(lines, "sealed the webhook secrets of 1 organizations").size() == 1);
        assertThat(gateway.metric(KEY_MISSING)).isEqualTo("0.0");
      }
      String other = "AQ" + KEY.substring(2);
      try (var gateway = TestGateway.start(folder, CONFIGURATION.formatted(other))) {
        anEventIsDue(gateway, event);
        await(() -> "1.0".equals(gateway.metric(KEY_MISSING)));
        assertThat(history(gateway, event)).containsExactly("key_missing");
        await(() -> linesWith(lines, "1 webhooks wait to be signed").size() == 1);
      }
      try (var gateway = TestGateway.start(folder, CONFIGURATION.formatted(other + ", " + KEY))) {
        await(() -> history(gateway, event).equals(List.of("key_missing", "blocked")));
      }
      assertThat(linesWith(lines, "webhook secrets are stored unencrypted")).hasSize(1);
    } finally {
      logger.detachAppender(lines);
      Logback.logger(WebhookModule.class).setLevel(null);
      Logback.logger(StoreMaintenance.class).setLevel(null);
    }
  }

  private static List<SecretsByKey> shares(TestGateway gateway) throws Exception {
    return gateway.server().store().webhookSecrets().shares();
  }

  private static List<String> history(TestGateway gateway, UUID event) throws Exception {
    return gateway.server().store().webhookEvents().attempts(event).stream()
        .map(DeliveryAttempt::outcome)
        .toList();
  }

  private static List<String> linesWith(ListAppender<ILoggingEvent> lines, String text) {
    return List.copyOf(lines.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(message -> message.contains(text))
        .toList();
  }

  private static void anEventIsDue(TestGateway gateway, UUID event) throws Exception {
    try (var connection = gateway.server().store().pool().getConnection();
        var insert = connection.prepareStatement(AN_EVENT_IS_DUE)) {
      insert.setString(1, RequestId.at(System.currentTimeMillis()).value());
      insert.setObject(2, event);
      insert.execute();
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long began = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
    }
  }
}
