package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Replaces a node's database by an earlier copy, as a restored backup does: the node sends what it
 * has charged since, or refuses to start. The soak profile charges 10,000 requests in between.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class LedgerRollbackIT {
  private static final int CHARGES = Integer.getInteger("tollgate.restore.charges", 60);
  private static final int CLIENTS = 8;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String ROLLED_BACK = "the database was rolled back";
  private static final int ENDED_TO_BE_STARTED_AGAIN = 75;

  /** Costs that clients got in their replies, by request, in micro-USD. */
  private final Map<String, Long> reported = new TreeMap<>();

  private String key = "";

  @Test
  void whatABackupLacksIsSentAgainAtTheNextStart() throws Exception {
    try (Setup setup = Setup.of("restored")) {
      chargeAndStop(setup, CHARGES);
      setup.database.copy();
      for (int epoch = 0; epoch < 2; epoch++) {
        try (GatewayProcess node = setup.start()) {
          assertThat(node.err().text()).doesNotContain(ROLLED_BACK);
          charge(node, CHARGES / 2);
          if (epoch == 0) {
            node.kill();
          } else {
            stop(node);
          }
        }
      }
      setup.database.putBack();
      try (GatewayProcess node = setup.start()) {
        assertThat(node.err().text()).contains(ROLLED_BACK);
        assertThat(node.admin().total("tollgate_ledger_rollbacks_detected_total")).isOne();
        requireSettledBeforeAndAfter(setup, node);
      }
      setup.requireAuditClean();
      RecordedFigures.keep(
          "ledger-rollback",
          reported.size() + " charges received, each settled once after the restore");
    }
  }

  @Test
  void anExportThatIsImportedAgainIsABackupToo() throws Exception {
    try (NodeFolder folder = NodeFolder.with(embedded())) {
      String file = folder.path().resolve("backup.zip").toString();
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        key = node.bootstrapKey();
        chargeAndSettle(node, 20);
        requireDone(Verbs.run("store", "export", file, "--config", "" + folder.config()));
        charge(node, 20);
        stop(node);
      }
      requireDone(
          Verbs.run("store", "import", file, "--replace", "--config", "" + folder.config()));
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        assertThat(node.err().text()).contains(ROLLED_BACK);
        LedgerDatabase ledgerDatabase = LedgerDatabase.of(folder);
        ledgerDatabase.awaitAll(reported);
        assertThat(
                ledgerDatabase.number(
                    "SELECT used_micro FROM scope_account WHERE scope_id LIKE 'org:%'"))
            .isEqualTo(reported.values().stream().mapToLong(Long::longValue).sum());
        ledgerDatabase.requireAuditClean();
        stop(node);
      }
    }
  }

  private static ConfigBuilder embedded() {
    return ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
  }

  private static void requireDone(Verbs.CommandResult said) {
    assertThat(said.exitCode()).as(said.err()).isZero();
  }

  @Test
  void aNodeThatRunsAdmitsNothingMoreEndsAndSendsItAtItsNextStart() throws Exception {
    try (Setup setup = Setup.of("swapped")) {
      try (GatewayProcess node = setup.start()) {
        key = node.bootstrapKey();
        chargeAndSettle(node, CHARGES);
        setup.database.copy();
        chargeAndSettle(node, CHARGES);
        setup.database.putBack();
        awaitRollback(node, SOON);
      }
      try (GatewayProcess node = setup.start()) {
        requireSettledBeforeAndAfter(setup, node);
      }
      setup.requireAuditClean();
    }
  }

  @Test
  void aGrantThatIsGoneIsNoticedWithoutABatch() throws Exception {
    try (Setup setup = Setup.of("grantless")) {
      try (GatewayProcess node = setup.start()) {
        key = node.bootstrapKey();
        chargeAndSettle(node, 20);
        // What a commit that was lost leaves: nothing of it, nor of the ticks behind it.
        setup.database.number(
            """
            WITH lost AS (UPDATE lease SET granted_micro = granted_micro - 1
                           WHERE granted_micro > spent_micro + overrun_micro RETURNING scope_id),
            accounts AS (UPDATE scope_account a SET leased_micro = leased_micro - 1
                           FROM lost WHERE a.scope_id = lost.scope_id)
            UPDATE node_mark SET ticked = ticked - 10 RETURNING ticked""");
        awaitRollback(node, Duration.ofSeconds(5));
      }
      requireSettledAtNextStart(setup);
    }
  }

  @Test
  void aBackupOfBeforeItsStartIsNoProofOfAnotherProcess() throws Exception {
    try (Setup setup = Setup.of("older")) {
      chargeAndStop(setup, 20);
      setup.database.copy();
      try (GatewayProcess node = setup.start()) {
        chargeAndSettle(node, 20);
        setup.database.putBack();
        awaitRollback(node, SOON);
        assertThat(node.err().text()).doesNotContain("took over this node");
      }
      requireSettledAtNextStart(setup);
    }
  }

  @Test
  void aDatabaseThatWasPromotedIsAnotherOneAlthoughNothingIsMissing() throws Exception {
    try (NodeFolder folder = NodeFolder.with(embedded())) {
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        key = node.bootstrapKey();
        chargeAndSettle(node, 20);
        Path cluster = folder.dataDir().resolve("postgres/cluster");
        Files.writeString(
            cluster.resolve("postgresql.auto.conf"),
            "restore_command = 'false'\n",
            StandardOpenOption.APPEND);
        Files.createFile(cluster.resolve("recovery.signal"));
        folder.killPostmaster();
        awaitRollback(node, SOON);
      }
      try (GatewayProcess node = GatewayProcess.start(folder)) {
        chargeAndSettle(node, 10);
        LedgerDatabase.of(folder).awaitAll(reported);
        LedgerDatabase.of(folder).requireAuditClean();
        stop(node);
      }
    }
  }

  @Test
  void whereTheJournalDoesNotReachBackTheStartIsRefusedUntilAnOperatorAcceptsIt() throws Exception {
    try (Setup setup = Setup.of("beyond")) {
      OwnDatabase database = setup.database;
      String keepNothing = "ledger.journal_retention.time=0s";
      chargeAndStop(setup, 10, keepNothing);
      database.copy();
      for (int epoch = 0; epoch < 2; epoch++) {
        chargeAndStop(setup, 10, keepNothing);
      }
      database.putBack();
      List<String> settings = database.settings();
      try (GatewayProcess refused =
          GatewayProcess.launch(setup.folder, List.of(), settings.toArray(String[]::new))) {
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.err().whole())
            .contains(ROLLED_BACK, "tollgate ledger rebase", "ledger.journal_retention")
            .doesNotContain("\tat ");
      }

      assertThat(setup.rebase().exitCode()).isEqualTo(1);
      assertThat(database.number("SELECT count(*) FROM node_rebase")).isZero();
      requireDone(setup.rebase("--yes"));
      assertThat(database.number("SELECT count(*) FROM node_rebase")).isOne();

      try (GatewayProcess node = setup.start()) {
        assertThat(ChatRequests.ask(node, "test/chat", key).status()).isEqualTo(200);
        assertThat(setup.rebase("--yes").err()).contains("in use by another process");
        stop(node);
      }
      assertThat(setup.rebase("--yes").out()).contains("nothing to accept");
      setup.requireAuditClean();
    }
  }

  @Test
  void whoOnlyLooksChangesNothing() throws Exception {
    try (Setup setup = Setup.on(OwnDatabase.empty("looked_at"))) {
      Verbs.CommandResult looked = setup.rebase();
      assertThat(looked.exitCode()).as(looked.out()).isEqualTo(1);
      assertThat(looked.err()).contains("run: tollgate migrate");
      assertThat(
              setup.database.number("SELECT count(*) FROM pg_tables WHERE schemaname = 'tollgate'"))
          .isZero();
    }
  }

  @Test
  void aDatabaseThatCrashedAndRecoveredDidNotGoBack() throws Exception {
    try (NodeFolder folder = NodeFolder.with(embedded());
        GatewayProcess node = GatewayProcess.start(folder)) {
      key = node.bootstrapKey();
      for (int crash = 0; crash < 2; crash++) {
        charge(node, 50);
        folder.killPostmaster();
        chargeAndSettle(node, 50);
      }
      LedgerDatabase.of(folder).awaitAll(reported);
      assertThat(node.admin().total("tollgate_ledger_rollbacks_detected_total")).isZero();
      stop(node);
    }
  }

  /** Folder of a node and the database that it uses, which a test replaces by a copy. */
  private record Setup(OwnDatabase database, NodeFolder folder) implements AutoCloseable {
    static Setup of(String name) throws Exception {
      return on(OwnDatabase.create(name));
    }

    static Setup on(OwnDatabase database) throws Exception {
      return new Setup(database, NodeFolder.with(SharedNode.setup()));
    }

    GatewayProcess start(String... sets) throws Exception {
      List<String> all = database.settings();
      all.addAll(List.of(sets));
      return GatewayProcess.start(folder, all.toArray(String[]::new));
    }

    Verbs.CommandResult rebase(String... options) {
      List<String> verb = new ArrayList<>(List.of("ledger", "rebase"));
      verb.addAll(List.of(options));
      return database.runVerb(folder, verb.toArray(String[]::new));
    }

    void requireAuditClean() throws Exception {
      Verbs.CommandResult audit = database.runVerb(folder, "ledger", "audit");
      assertThat(audit.exitCode()).as(audit.out() + audit.err()).isZero();
      assertThat(database.number("SELECT count(*) FROM settlement_quarantine")).isZero();
      assertThat(database.number("SELECT sum(leased_micro) FROM scope_account")).isZero();
    }

    @Override
    public void close() throws SQLException {
      try (database) {
        folder.close();
      }
    }
  }

  private void chargeAndStop(Setup setup, int charges, String... sets) throws Exception {
    try (GatewayProcess node = setup.start(sets)) {
      if (key.isEmpty()) {
        key = node.bootstrapKey();
      }
      charge(node, charges);
      stop(node);
    }
  }

  private void chargeAndSettle(GatewayProcess node, int charges) throws Exception {
    charge(node, charges);
    node.admin().awaitBooked();
  }

  private void charge(GatewayProcess node, int charges) throws Exception {
    try (ClosedLoopLoad load = ClosedLoopLoad.on(node, key, "test/chat", CLIENTS)) {
      while (load.answers().size() < charges) {
        load.await(200, Duration.ZERO);
      }
      load.end();
      reported.putAll(load.reportedCosts());
    }
  }

  private static void stop(GatewayProcess node) throws Exception {
    node.terminate();
    assertThat(node.awaitExit()).isZero();
  }

  private static void awaitRollback(GatewayProcess node, Duration time) throws Exception {
    assertThat(node.err().await(line -> line.contains(ROLLED_BACK), time)).isPresent();
    assertThat(node.awaitExit()).isEqualTo(ENDED_TO_BE_STARTED_AGAIN);
  }

  private void requireSettledBeforeAndAfter(Setup setup, GatewayProcess node) throws Exception {
    requireSettled(setup.database);
    chargeAndSettle(node, 10);
    requireSettled(setup.database);
    stop(node);
  }

  private void requireSettledAtNextStart(Setup setup) throws Exception {
    try (GatewayProcess node = setup.start()) {
      requireSettled(setup.database);
      stop(node);
    }
    setup.requireAuditClean();
  }

  /** Requires every charge that a client got, with its line in the request log, and no other. */
  private void requireSettled(OwnDatabase database) throws Exception {
    assertThat(database.charges()).isEqualTo(reported);
    assertThat(database.number("SELECT count(*) FROM request_log")).isEqualTo(reported.size());
    assertThat(database.number("SELECT used_micro FROM scope_account WHERE scope_id LIKE 'org:%'"))
        .isEqualTo(reported.values().stream().mapToLong(Long::longValue).sum());
  }
}
