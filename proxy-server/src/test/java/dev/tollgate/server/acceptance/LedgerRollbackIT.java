package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A node's database is replaced by an earlier copy, like a restored backup: the node sends its
 * charges since then, or reports that it cannot. The soak profile charges 10,000 in between.
 */
@Execution(ExecutionMode.CONCURRENT)
class LedgerRollbackIT {
  private static final int CHARGES = Integer.getInteger("tollgate.restore.charges", 60);
  private static final int CLIENTS = 8;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String WENT_BACK = "the database went back in time";
  private static final int ENDED_TO_BE_STARTED_AGAIN = 75;

  /** Charges that clients received, by request: micro-USD. */
  private final Map<String, Long> costs = new TreeMap<>();

  private String key = "";

  @Test
  void chargesMissingInABackupAreSentAtTheNextStart() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("restored");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess node = start(folder, database)) {
        key = node.bootstrapKey();
        charge(node, CHARGES);
        stop(node);
      }
      database.copy();
      for (int life = 0; life < 2; life++) {
        try (GatewayProcess node = start(folder, database)) {
          assertThat(node.err().text()).doesNotContain(WENT_BACK);
          charge(node, CHARGES / 2);
          if (life == 0) {
            node.kill();
          } else {
            stop(node);
          }
        }
      }
      database.putBack();
      try (GatewayProcess node = start(folder, database)) {
        assertThat(node.err().text()).contains(WENT_BACK);
        assertThat(node.admin().total("tollgate_ledger_rollbacks_detected_total")).isOne();
        requireBooked(database);
        charge(node, 10);
        node.admin().awaitBooked();
        requireBooked(database);
        stop(node);
      }
      requireAuditClean(folder, database);
      RecordedFigures.keep(
          "ledger-rollback",
          costs.size() + " charges received by clients, each settled once after the restore");
    }
  }

  @Test
  void anImportedExportIsABackupToo() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup)) {
      String file = folder.path().resolve("backup.zip").toString();
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        key = node.bootstrapKey();
        charge(node, 20);
        node.admin().awaitBooked();
        requireDone(Verbs.run("store", "export", file, "--config", "" + folder.config()));
        charge(node, 20);
        stop(node);
      }
      requireDone(
          Verbs.run("store", "import", file, "--replace", "--config", "" + folder.config()));
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        assertThat(node.err().text()).contains(WENT_BACK);
        LedgerDatabase ledgerDatabase = LedgerDatabase.of(folder);
        ledgerDatabase.awaitAll(costs);
        assertThat(
                ledgerDatabase.number(
                    "SELECT used_micro FROM scope_account WHERE scope_id LIKE 'org:%'"))
            .isEqualTo(costs.values().stream().mapToLong(Long::longValue).sum());
        ledgerDatabase.requireAuditClean();
        stop(node);
      }
    }
  }

  private static void requireDone(Verbs.CommandResult result) {
    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  @Test
  void aRunningNodeStopsAndSendsChargesAtItsNextStart() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("swapped");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess node = start(folder, database)) {
        key = node.bootstrapKey();
        charge(node, CHARGES);
        node.admin().awaitBooked();
        database.copy();
        charge(node, CHARGES);
        node.admin().awaitBooked();
        database.putBack();
        assertThat(node.err().await(line -> line.contains(WENT_BACK), SOON)).isPresent();
        assertThat(node.awaitExit()).isEqualTo(ENDED_TO_BE_STARTED_AGAIN);
      }
      try (GatewayProcess node = start(folder, database)) {
        requireBooked(database);
        charge(node, 10);
        node.admin().awaitBooked();
        requireBooked(database);
        stop(node);
      }
      requireAuditClean(folder, database);
    }
  }

  @Test
  void aLostGrantIsDetectedWithoutABatch() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("grantless");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess node = start(folder, database)) {
        key = node.bootstrapKey();
        charge(node, 20);
        node.admin().awaitBooked();
        // State after a lost commit: neither it nor later rounds of the lease client are stored.
        database.number(
            """
            WITH lost AS (UPDATE lease SET granted_micro = granted_micro - 1
                           WHERE granted_micro > spent_micro + overrun_micro RETURNING scope_id),
            accounts AS (UPDATE scope_account a SET leased_micro = leased_micro - 1
                           FROM lost WHERE a.scope_id = lost.scope_id)
            UPDATE node_mark SET ticked = ticked - 10 RETURNING ticked""");
        assertThat(node.err().await(line -> line.contains(WENT_BACK), Duration.ofSeconds(5)))
            .isPresent();
        assertThat(node.awaitExit()).isEqualTo(ENDED_TO_BE_STARTED_AGAIN);
      }
      try (GatewayProcess node = start(folder, database)) {
        requireBooked(database);
        stop(node);
      }
      requireAuditClean(folder, database);
    }
  }

  @Test
  void aBackupFromBeforeTheStartDoesNotProveAnotherProcess() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("older");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      try (GatewayProcess node = start(folder, database)) {
        key = node.bootstrapKey();
        charge(node, 20);
        stop(node);
      }
      database.copy();
      try (GatewayProcess node = start(folder, database)) {
        charge(node, 20);
        node.admin().awaitBooked();
        database.putBack();
        assertThat(node.err().await(line -> line.contains(WENT_BACK), SOON)).isPresent();
        assertThat(node.awaitExit()).isEqualTo(ENDED_TO_BE_STARTED_AGAIN);
        assertThat(node.err().text()).doesNotContain("took over this node");
      }
      try (GatewayProcess node = start(folder, database)) {
        requireBooked(database);
        stop(node);
      }
      requireAuditClean(folder, database);
    }
  }

  @Test
  void aPromotedDatabaseCountsAsReplaced() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup)) {
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        key = node.bootstrapKey();
        charge(node, 20);
        node.admin().awaitBooked();
        Path cluster = folder.dataDir().resolve("postgres/cluster");
        Files.writeString(
            cluster.resolve("postgresql.auto.conf"),
            "restore_command = 'false'\n",
            StandardOpenOption.APPEND);
        Files.createFile(cluster.resolve("recovery.signal"));
        folder.killPostmaster();
        assertThat(node.err().await(line -> line.contains(WENT_BACK), SOON)).isPresent();
        assertThat(node.awaitExit()).isEqualTo(ENDED_TO_BE_STARTED_AGAIN);
      }
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        charge(node, 10);
        node.admin().awaitBooked();
        LedgerDatabase.of(folder).awaitAll(costs);
        LedgerDatabase.of(folder).requireAuditClean();
        stop(node);
      }
    }
  }

  @Test
  void aRollbackBeyondTheJournalMustBeAccepted() throws Exception {
    try (OwnDatabase database = OwnDatabase.create("beyond");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      String keepNothing = "ledger.journal_retention.time=0s";
      try (GatewayProcess node = start(folder, database, keepNothing)) {
        key = node.bootstrapKey();
        charge(node, 10);
        stop(node);
      }
      database.copy();
      for (int life = 0; life < 2; life++) {
        try (GatewayProcess node = start(folder, database, keepNothing)) {
          charge(node, 10);
          stop(node);
        }
      }
      database.putBack();
      List<String> settings = database.settings();
      try (GatewayProcess refused =
          GatewayProcess.launch(folder, List.of(), settings.toArray(String[]::new))) {
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.err().whole())
            .contains(WENT_BACK, "tollgate ledger rebase", "ledger.journal_retention")
            .doesNotContain("\tat ");
      }

      assertThat(rebase(folder, database).exitCode()).isEqualTo(1);
      assertThat(database.number("SELECT count(*) FROM node_rebase")).isZero();
      Verbs.CommandResult accepted = rebase(folder, database, "--yes");
      assertThat(accepted.exitCode()).as(accepted.err()).isZero();
      assertThat(database.number("SELECT count(*) FROM node_rebase")).isOne();

      try (GatewayProcess node = start(folder, database)) {
        assertThat(ChatRequests.ask(node, "test/chat", key).status()).isEqualTo(200);
        assertThat(rebase(folder, database, "--yes").err()).contains("in use by another process");
        stop(node);
      }
      assertThat(rebase(folder, database, "--yes").out()).contains("nothing to accept");
      requireAuditClean(folder, database);
    }
  }

  @Test
  void showingARollbackChangesNothing() throws Exception {
    try (OwnDatabase database = OwnDatabase.empty("looked_at");
        NodeFolder folder = NodeFolder.with(SharedNode.setup())) {
      Verbs.CommandResult looked = rebase(folder, database);
      assertThat(looked.exitCode()).as(looked.out()).isEqualTo(1);
      assertThat(looked.err()).contains("run: tollgate migrate");
      assertThat(database.number("SELECT count(*) FROM pg_tables WHERE schemaname = 'tollgate'"))
          .isZero();
    }
  }

  @Test
  void aCrashRecoveryIsNotARollback() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup);
        GatewayProcess node = GatewayProcess.start(folder)) {
      key = node.bootstrapKey();
      for (int crash = 0; crash < 2; crash++) {
        charge(node, 50);
        folder.killPostmaster();
        charge(node, 50);
        node.admin().awaitBooked();
      }
      LedgerDatabase.of(folder).awaitAll(costs);
      assertThat(node.admin().total("tollgate_ledger_rollbacks_detected_total")).isZero();
      stop(node);
    }
  }

  private static GatewayProcess start(NodeFolder folder, OwnDatabase database, String... sets)
      throws Exception {
    List<String> all = database.settings();
    all.addAll(List.of(sets));
    return GatewayProcess.start(folder, all.toArray(String[]::new));
  }

  private void charge(GatewayProcess node, int charges) throws Exception {
    try (ClosedLoopLoad load = ClosedLoopLoad.on(node, key, "test/chat", CLIENTS)) {
      while (load.answers().size() < charges) {
        load.await(200, Duration.ZERO);
      }
      load.end();
      costs.putAll(load.reportedCosts());
    }
  }

  private static void stop(GatewayProcess node) throws Exception {
    node.terminate();
    assertThat(node.awaitExit()).isZero();
  }

  private static Verbs.CommandResult rebase(
      NodeFolder folder, OwnDatabase database, String... options) {
    List<String> verb = new ArrayList<>(List.of("ledger", "rebase"));
    verb.addAll(List.of(options));
    return database.runVerb(folder, verb.toArray(String[]::new));
  }

  /** Every charge that a client received, with its row in the request log, and nothing else. */
  private void requireBooked(OwnDatabase database) throws Exception {
    assertThat(database.charges()).isEqualTo(costs);
    assertThat(database.number("SELECT count(*) FROM request_log")).isEqualTo(costs.size());
    assertThat(database.number("SELECT used_micro FROM scope_account WHERE scope_id LIKE 'org:%'"))
        .isEqualTo(costs.values().stream().mapToLong(Long::longValue).sum());
  }

  private static void requireAuditClean(NodeFolder folder, OwnDatabase database) throws Exception {
    Verbs.CommandResult audit = database.runVerb(folder, "ledger", "audit");
    assertThat(audit.exitCode()).as(audit.out() + audit.err()).isZero();
    assertThat(database.number("SELECT count(*) FROM settlement_quarantine")).isZero();
    assertThat(database.number("SELECT sum(leased_micro) FROM scope_account")).isZero();
  }
}
