package dev.tollgate.server.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.ops.Logback;
import dev.tollgate.server.postgres.ledger.LedgerNodes;
import dev.tollgate.server.wiring.ExitReason;
import dev.tollgate.server.wiring.TestGateway;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A running gateway maintains the store. */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
final class StoreMaintenanceIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: null }
        admin: { address: "127.0.0.1:0" }
      server: { event_loops: 1, shutdown: { delay: 0s, timeout: 2s } }
      store: { url: embedded, data_dir: ./data }
      ledger: { audit_interval: 1s, retention: { charges: 8d, requests: 8d } }
      providers:
        mock: { type: mock, ttft: 0ms, chunk_interval: 0ms, chunks: 4 }
      models:
        test/chat:
          modality: chat
          price: { input: "1", output: "2" }
          routes: [ { provider: mock, model: chat } ]
        test/above-its-bound:
          modality: chat
          price: { input: "0", output: "1000" }
          reserve_output_tokens: 1
          routes: [ { provider: mock, model: chat } ]
      """;

  private static final String JOBS_OVER =
      """
      INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
        estimated_cost_micro, max_cost_micro, params, metadata, created_at, completed_at,
        expires_at, next_look_at)
      SELECT gen_random_uuid(), id, 'k', '%2$s', t::date, 'video', 'test/v', 'mock',
             'canceled', 1, 1, '{}', '{}', t, t, t, t
        FROM organization, LATERAL (SELECT now() - interval '%1$d days' AS t)""";

  @Test
  void oldPartitionsAreDroppedAndAWrongSumIsFound(@TempDir Path folder) throws Exception {
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      execute(gateway, "SELECT ledger_partition(current_date - 20)");
      execute(gateway, JOBS_OVER.formatted(31, "job-that-is-old-enough-to-go--"));
      execute(gateway, JOBS_OVER.formatted(29, "job-that-may-be-looked-at-now-"));
    }
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      await(gateway, "tollgate_ledger_partitions_dropped_total", 2);
      assertThat(gateway.metric("tollgate_ledger_audit_violations")).isEqualTo("0.0");
      awaitOneJob(gateway);

      execute(gateway, "UPDATE scope_account SET limit_micro = limit_micro + 1");
      await(gateway, "tollgate_ledger_audit_violations", 1);
      assertThat(gateway.metric("tollgate_ledger_unresponsive_nodes")).isEqualTo("0.0");
      assertThat(value(gateway, "tollgate_ledger_audit_age_seconds")).isLessThan(60);
      execute(gateway, "UPDATE scope_account SET limit_micro = limit_micro - 1");
    }
  }

  /** One warning and one count for a day, although it is looked at every second. */
  @Test
  void aDayIsDroppedForTheSizeOfTheLog(@TempDir Path folder) throws Exception {
    var warnings = new ListAppender<ILoggingEvent>();
    warnings.start();
    Logback.logger(StoreMaintenance.class).addAppender(warnings);
    String small = CONFIGURATION.replace("requests: 8d", "requests: { time: 8d, size: 1KiB }");
    try (var gateway = TestGateway.start(folder, small)) {
      execute(
          gateway,
          "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
              + " SELECT d, 'r', gen_random_uuid(), 'k', '{}' FROM (VALUES ((now() AT TIME ZONE"
              + " 'UTC')::date - 1), ((now() AT TIME ZONE 'UTC')::date)) AS days (d)");
      String dropped = "tollgate_request_log_partitions_dropped_total";
      await(gateway, dropped + "{reason=\"size\"}", 1);
      awaitPositive(gateway, "tollgate_request_log_bytes");
      await(gateway, "tollgate_ledger_audit_violations", 0);
      assertThat(value(gateway, dropped + "{reason=\"size\"}")).isEqualTo(1);
      assertThat(value(gateway, dropped + "{reason=\"time\"}")).isZero();
      assertThat(warnings.list)
          .filteredOn(each -> each.getLevel() == Level.WARN)
          .extracting(ILoggingEvent::getFormattedMessage)
          .filteredOn(each -> each.contains("ledger.retention.requests.size (1KiB)"))
          .hasSize(1);
    } finally {
      Logback.logger(StoreMaintenance.class).detachAppender(warnings);
    }
  }

  @Test
  void oldPartitionsAreDroppedAlsoIfNoneCanBeClosed(@TempDir Path folder) throws Exception {
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      execute(gateway, "SELECT ledger_partition(current_date - 20)");
      execute(gateway, "ALTER FUNCTION ledger_days_to_close() RENAME TO out_of_order");
    }
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      await(gateway, "tollgate_ledger_partitions_dropped_total", 2);
    }
  }

  @Test
  void commitmentsAreReported(@TempDir Path folder) throws Exception {
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      assertThat(gateway.chat("test/chat").status()).isEqualTo(200);
      long began = System.nanoTime();
      var nodes = gateway.server().store().ledgerNodes();
      while (nodes.list().getFirst().committed().isEmpty()) {
        assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
      }
    }
  }

  /** Each metric changes with its cause and with nothing else. */
  @Test
  void theLedgerIsOnTheMetrics(@TempDir Path folder) throws Exception {
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      assertThat(value(gateway, "tollgate_ledger_leases")).isZero();
      assertThat(value(gateway, "tollgate_ledger_flush_seconds")).isZero();
      requireWaitingIsSeen(gateway);
      await(gateway, "tollgate_ledger_leases", 1);
      await(gateway, "tollgate_ledger_backlog", 0);
      assertThat(value(gateway, "tollgate_ledger_flush_seconds")).isPositive();
      assertThat(value(gateway, "tollgate_ledger_oldest_unsettled_seconds")).isZero();
      assertThat(value(gateway, "tollgate_ledger_overruns_total")).isZero();

      RawResponse longer = gateway.chat("test/above-its-bound");
      assertThat(longer.status()).as(longer.text()).isEqualTo(200);
      await(gateway, "tollgate_ledger_overruns_total", 1);
      assertThat(value(gateway, "tollgate_ledger_overrun_micro_usd_total")).isEqualTo(3_000);

      assertThat(value(gateway, "tollgate_ledger_recalls_total")).isZero();
      assertThat(value(gateway, "tollgate_ledger_partial_grants_total")).isZero();
      takeAllButALittle(gateway);
      awaitPositive(gateway, "tollgate_ledger_recalls_total");
      gateway.chat("test/above-its-bound");
      awaitPositive(gateway, "tollgate_ledger_partial_grants_total");
    }
  }

  /** No grant succeeds while the balance's row is locked. */
  private static void requireWaitingIsSeen(TestGateway gateway) throws Exception {
    try (var connection = gateway.server().store().pool().getConnection();
        var statement = connection.createStatement();
        var client = gateway.connect()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT 1 FROM scope_account FOR UPDATE");
      gateway.chat(client, "test/chat", false);
      await(gateway, "tollgate_ledger_waiting", 1);
      connection.rollback();
      assertThat(client.readResponse().status()).isEqualTo(200);
    }
    await(gateway, "tollgate_ledger_waiting", 0);
  }

  /** Another node requests more of the balance than is left, and accepts less. */
  private static void takeAllButALittle(TestGateway gateway) throws Exception {
    var store = gateway.server().store();
    ApiKey key = ((Lookup.Found) store.keyDirectory().find(KeyHash.of(gateway.key()))).key();
    LeaseHolder other = store.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    var payer = Payer.of(key, RequestId.at(System.currentTimeMillis()));
    long began = System.nanoTime();
    long calls = 0;
    long wanted = 10_000_000 - 20_000;
    while (true) {
      var want = new GrantItem(ScopeKind.ORG, new MicroUsd(wanted), new MicroUsd(wanted));
      var ask = new GrantRequest(++calls, payer, List.of(want), true, 1);
      if (store.ledgerStore().grant(other, ask) instanceof GrantAnswer.Issued) {
        return;
      }
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
    }
  }

  /** Repeats while the node's own heartbeat holds the row, which the function then skips. */
  private static void declareLost(TestGateway gateway) throws Exception {
    long began = System.nanoTime();
    try (var connection = gateway.server().store().pool().getConnection();
        var statement = connection.createStatement()) {
      while (true) {
        try (var lost = statement.executeQuery("SELECT * FROM ledger_lose(interval '-1 hour')")) {
          if (lost.next()) {
            return;
          }
        }
        assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
      }
    }
  }

  @Test
  void aReleasedNodeEndsToBeRestarted(@TempDir Path folder) throws Exception {
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      assertThat(gateway.chat("test/chat").status()).isEqualTo(200);
      declareLost(gateway);
      gateway.server().awaitDrained();
      assertThat(gateway.server().exitReason()).isEqualTo(ExitReason.LEASES_RELEASED);
    }
    try (var gateway = TestGateway.start(folder, CONFIGURATION)) {
      assertThat(gateway.server().store().ledgerAudit().runFull()).isEmpty();
      assertThat(gateway.server().store().ledgerNodes().list())
          .extracting(LedgerNodes.LedgerNode::state)
          .containsExactly("open");
    }
  }

  private static void execute(TestGateway gateway, String sql) throws SQLException {
    try (var connection = gateway.server().store().pool().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void awaitOneJob(TestGateway gateway) throws SQLException {
    long began = System.nanoTime();
    while (true) {
      try (var connection = gateway.server().store().pool().getConnection();
          var statement = connection.createStatement();
          var row = statement.executeQuery("SELECT count(*), min(request_id) FROM media_job")) {
        assertThat(row.next()).isTrue();
        if (row.getInt(1) == 1) {
          assertThat(row.getString(2)).startsWith("job-that-may-be-looked-at");
          return;
        }
      }
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
    }
  }

  private static void await(TestGateway gateway, String metric, double value) {
    long began = System.nanoTime();
    while (value(gateway, metric) != value) {
      assertThat(System.nanoTime() - began).as(metric).isLessThan(SOON.toNanos());
    }
  }

  private static void awaitPositive(TestGateway gateway, String metric) {
    long began = System.nanoTime();
    while (!(value(gateway, metric) > 0)) {
      assertThat(System.nanoTime() - began).as(metric).isLessThan(SOON.toNanos());
    }
  }

  private static double value(TestGateway gateway, String metric) {
    String value = gateway.metric(metric);
    return value == null ? Double.NaN : Double.parseDouble(value);
  }
}
