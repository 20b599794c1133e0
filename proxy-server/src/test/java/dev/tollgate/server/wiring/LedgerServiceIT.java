package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Ledger.ReserveResult;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Reservation;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import dev.tollgate.server.ledger.JournalDirectory;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.ledger.LocalJournal;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import dev.tollgate.server.settings.LedgerSettings.DayRetention;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A node that ends releases its leases only if all its charges are settled. */
@Execution(ExecutionMode.CONCURRENT)
final class LedgerServiceIT {
  private static final long SOON_SECONDS = 20;
  private static final Tokens TOKENS = new Tokens(1, 1, 0, 0, false);
  private static final LedgerSettings SETTINGS =
      new LedgerSettings(
          Durability.FSYNC,
          Duration.ofMillis(10),
          new Batch(5, 20),
          new Retention(Duration.ofHours(1), 1 << 30),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          new DayRetention(
              Duration.ofDays(90), new LedgerSettings.LogRetention(Duration.ofDays(35), 0)),
          Duration.ofHours(1));
  @TempDir private static Path shared;
  private static TestGateway gateway;
  private static ApiKey key;

  @TempDir private Path folder;
  private final CompletableFuture<ExitReason> mustEnd = new CompletableFuture<>();

  @BeforeAll
  static void openLedger() throws Exception {
    gateway = TestGateway.start(shared, TestGateway.CONFIGURATION);
    var found = gateway.server().store().keyDirectory().find(KeyHash.of(gateway.key()));
    key = ((Lookup.Found) found).key();
  }

  @AfterAll
  static void closeLedger() {
    gateway.close();
  }

  @Test
  void aSettledNodeLeavesNoLease() throws Exception {
    try (LedgerService treasury = open()) {
      charge(reserve(treasury, 40), 40);
    }
    assertThat(state()).isEqualTo("closed 0");
  }

  @Test
  void theLeaseOfAnUnendedRequestStaysOpenUntilItIsCharged() throws Exception {
    long beyond = number("SELECT sum(beyond_micro) FROM scope_account WHERE scope_id LIKE 'org:%'");
    try (LedgerService treasury = open()) {
      reserve(treasury, 40).progress(new MicroUsd(40), TOKENS);
    }
    assertThat(state()).startsWith("open ").isNotEqualTo("open 0");
    try (LedgerService treasury = open()) {
      charge(reserve(treasury, 1), 1);
    }
    assertThat(state()).isEqualTo("closed 0");
    assertThat(number("SELECT sum(beyond_micro) FROM scope_account WHERE scope_id LIKE 'org:%'"))
        .as("charged without money held for it")
        .isEqualTo(beyond);
  }

  @Test
  void quarantinedChargesOfPreviousEpochsAreCounted() throws Exception {
    leaveAChargeWithoutAnOwner();
    try (LedgerService treasury = open()) {
      Metrics metrics = new Metrics();
      treasury.register(metrics);
      assertThat(metrics.scrape(null).text())
          .contains("tollgate_ledger_quarantined_total 1.0\n")
          .contains("tollgate_ledger_overruns_total 0.0\n")
          .contains("tollgate_ledger_recalls_total 0.0\n")
          .contains("tollgate_ledger_partial_grants_total 0.0\n");
    }
    assertThat(state()).isEqualTo("closed 0");
  }

  /** An epoch that ended with a charge that the ledger store must refuse. */
  private void leaveAChargeWithoutAnOwner() throws Exception {
    var bank = gateway.server().store().ledgerStore();
    var directory =
        JournalDirectory.open(folder, JournalOptions.of(SETTINGS), InstantSource.system());
    var mark = bank.checkpoints().read(directory.node());
    assertThat(directory.previousEpochs(mark)).isEmpty();
    LeaseHolder holder = bank.open(directory.node(), UUID.randomUUID());
    try (LocalJournal journal =
        directory.beginEpoch(holder, mark.store(), mustEnd::completeExceptionally)) {
      CompletableFuture<Void> durable = new CompletableFuture<>();
      var charge =
          new Settlement(
              RequestId.at(System.currentTimeMillis()),
              new OrgId(UUID.randomUUID()),
              key.id(),
              1,
              new MicroUsd(40),
              new MicroUsd(40),
              TOKENS,
              SettlementKind.COMPLETED,
              new byte[0]);
      journal.settle(charge, Runnable::run, () -> durable.complete(null));
      durable.get(SOON_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void afterARollbackLeasesStayOpenForMissingCharges() throws Exception {
    try (LedgerService treasury = open()) {
      charge(reserve(treasury, 40), 40);
      execute("UPDATE node_mark SET batches = -1 WHERE node_id = '%s'".formatted(node()));
      assertThat(mustEnd.get(SOON_SECONDS, TimeUnit.SECONDS))
          .isEqualTo(ExitReason.LEDGER_ROLLED_BACK);
    }
    assertThat(state()).startsWith("open ").isNotEqualTo("open 0");
  }

  private LedgerService open() throws StartException {
    var owner =
        new LedgerService.Listener() {
          @Override
          public void recoveryStarted(Runnable giveUp) {}

          @Override
          public void diskFailed(Throwable failure) {
            mustEnd.completeExceptionally(failure);
          }

          @Override
          public void shutdownRequired(ExitReason ending) {
            mustEnd.complete(ending);
          }
        };
    return LedgerService.open(gateway.server().store(), folder, SETTINGS, owner);
  }

  private static Reservation reserve(LedgerService treasury, long most) throws Exception {
    long began = System.nanoTime();
    while (!treasury.ledger().isOpen()) {
      assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(SOON_SECONDS));
    }
    CompletableFuture<ReserveResult> answer = new CompletableFuture<>();
    RequestId request = RequestId.at(System.currentTimeMillis());
    treasury.ledger().reserve(request, key, new MicroUsd(most), Runnable::run, answer::complete);
    var reserved = (ReserveResult.Reserved) answer.get(SOON_SECONDS, TimeUnit.SECONDS);
    reserved.reservation().begin();
    return reserved.reservation();
  }

  private static void charge(Reservation reservation, long cost) throws Exception {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    reservation.settle(
        new MicroUsd(cost),
        TOKENS,
        SettlementKind.COMPLETED,
        new byte[0],
        () -> durable.complete(null));
    durable.get(SOON_SECONDS, TimeUnit.SECONDS);
  }

  /** State of this test's node and its leases. */
  private String state() throws Exception {
    return text(
        "SELECT n.state || ' ' || coalesce(sum(l.granted_micro - l.spent_micro), 0)"
            + " FROM node_epoch n LEFT JOIN lease l ON l.state = 'open' AND l.holder = n.holder"
            + " WHERE n.node_id = '%s' GROUP BY n.node_id".formatted(node()));
  }

  private String node() throws IOException {
    return Files.readString(folder.resolve("journal").resolve("node")).strip();
  }

  private static long number(String select) throws SQLException {
    return Long.parseLong(text(select));
  }

  private static String text(String select) throws SQLException {
    try (var connection = gateway.server().store().pool().getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(select)) {
      row.next();
      return row.getString(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = gateway.server().store().pool().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
