package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.AccountBalance.HeldHere;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.LedgerPartitions.DroppedDays;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A day is closed with its sums, takes late charges, and is dropped when no node owes it any. */
@Execution(ExecutionMode.CONCURRENT)
class LedgerPartitionsIT {
  private final long then = System.currentTimeMillis();
  private final LocalDate day = Window.at(then).day();
  private TestLedgerStore testStore;
  private long calls;
  private OrgId org;
  private KeyId key;
  private LeaseHolder node;

  @BeforeEach
  void charge() throws Exception {
    testStore = TestLedgerStore.open();
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000);
    node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    settle(then, 7, "{\"model\": \"a/b\"}");
  }

  @AfterEach
  void close() {
    testStore.close();
  }

  @Test
  void aDayThatIsOverIsSummedUpOnceAndTakesLateCharges() throws Exception {
    assertThat(days().close()).doesNotContain(day);
    daysLater(1, Duration.ZERO);
    assertThat(days().close()).doesNotContain(day);
    daysLater(1, Duration.ofHours(1));
    assertThat(days().close()).contains(day);
    assertThat(days().close()).isEmpty();
    assertThat(sums()).containsOnly("7 1 1 2 3 4");

    settle(then + 1, 5, "");
    assertThat(sums()).hasSize(4).containsOnly("12 2 2 4 6 8");
    assertThat(audit().run()).isEmpty();
    assertThat(audit().runFull()).isEmpty();
  }

  @Test
  void usageIsTheSameOfADayThatIsOpenClosedOrDropped() throws Exception {
    settle(then + 1, 5, "");
    var ofTwo =
        new UsageReport.UsageRow(
            List.of(key.value()), 2, 2, 4, 6, 8, new MicroUsd(12), new MicroUsd(12), 0, 0);
    assertThat(usage(UsageReport.GroupBy.KEY)).containsExactly(ofTwo);
    daysLater(1, Duration.ofHours(1));
    assertThat(days().close()).contains(day);
    assertThat(usage(UsageReport.GroupBy.KEY)).containsExactly(ofTwo);

    settle(then + 2, 3, "");
    var ofThree =
        new UsageReport.UsageRow(
            List.of(key.value()), 3, 3, 6, 9, 12, new MicroUsd(15), new MicroUsd(15), 0, 0);
    assertThat(usage(UsageReport.GroupBy.KEY)).containsExactly(ofThree);
    assertThat(audit().runFull()).isEmpty();
    daysLater(9, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    assertThat(retain(8, 8).charges()).contains(day);
    assertThat(usage(UsageReport.GroupBy.KEY)).containsExactly(ofThree);
    assertThat(audit().run()).isEmpty();
    assertThat(audit().runFull()).isEmpty();
  }

  @Test
  void whatADayCostTheOperatorStaysWhenItsLogIsDropped() throws Exception {
    settle(then + 1, 5, "{\"operator_cost_micro\":2}");
    settle(then + 2, 5, "{\"operator_cost_micro\":0}");
    testStore.execute(
        "INSERT INTO usage_hour (slot, org_id, key_id, model, provider, endpoint, outcome, code,"
            + " requests, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,"
            + " cost_micro, operator_cost_micro, total_hist, ttft_hist, overhead_hist)"
            + " VALUES (?::timestamptz, ?, ?, '', '', '', 'ok', '', 3, 3, 6, 9, 12, 17, 9, '{}',"
            + " '{}', '{}')",
        day + "T00:00:00Z",
        org.value(),
        key.value());
    List<UsageReport.UsageRow> before = usage(UsageReport.GroupBy.KEY);
    assertThat(before)
        .extracting(UsageReport.UsageRow::operatorCost, UsageReport.UsageRow::margin)
        .containsExactly(tuple(new MicroUsd(9), new MicroUsd(8)));
    daysLater(9, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    assertThat(retain(40, 8).requests()).contains(day);
    assertThat(usage(UsageReport.GroupBy.KEY)).isEqualTo(before);
    assertThat(retain(8, 8).charges()).contains(day);
    assertThat(usage(UsageReport.GroupBy.KEY)).isEqualTo(before);
  }

  @Test
  void anOldDayIsDroppedAndItsSumsStay() throws Exception {
    List<UsageReport.UsageRow> before = usage(UsageReport.GroupBy.KEY);
    daysLater(9, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    DroppedDays dropped = retain(8, 8);
    assertThat(dropped.charges()).contains(day.minusDays(1), day);
    assertThat(dropped.requests()).contains(day.minusDays(1), day);
    assertThat(retain(0, 0)).isEqualTo(new DroppedDays(List.of(), List.of()));

    assertThat(testStore.execute("SELECT count(*) FROM settlement")).containsExactly("0");
    assertThat(testStore.execute("SELECT count(*) FROM request_log")).containsExactly("0");
    assertThat(testStore.balance(org).used()).isEqualTo(7);
    assertThat(audit().run()).isEmpty();
    assertThat(audit().runFull()).isEmpty();
    assertThat(usage(UsageReport.GroupBy.KEY)).isEqualTo(before);
    assertThat(usage(UsageReport.GroupBy.DAY)).containsExactly(row(day.toString()));
    assertThat(usage(UsageReport.GroupBy.MODEL)).containsExactly(row(null));
    assertThat(
            testStore
                .store()
                .accountBalances()
                .find(key, Window.at(then), node, _ -> HeldHere.NOTHING))
        .isPresent();
  }

  @Test
  void theRequestLogGoesEarlierThanTheCharges() throws Exception {
    daysLater(30, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    assertThat(retain(90, 8).requests()).contains(day);
    assertThat(testStore.execute("SELECT count(*) FROM settlement")).containsExactly("1");
    assertThat(usage(UsageReport.GroupBy.MODEL)).containsExactly(row(null));
  }

  @Test
  void aDayStaysWhileANodeMayOweChargesOfIt() throws Exception {
    daysLater(9, Duration.ZERO);
    assertThat(retain(8, 8).charges()).as("a node that is silent").isEmpty();
    testStore.ledgerStore().tick(node, ++calls, List.of());
    report(Duration.ofDays(8));
    assertThat(retain(8, 8).charges()).as("a node that cannot settle").doesNotContain(day);
    report(Duration.ofDays(6));
    assertThat(retain(8, 8).charges()).contains(day);
  }

  @Test
  void aDayThatWasDroppedTakesNoCharge() throws Exception {
    daysLater(20, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    retain(8, 8);
    assertThatThrownBy(() -> settle(then, 1, ""))
        .isInstanceOfSatisfying(
            LedgerStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(LedgerStoreException.Kind.POISONED));
  }

  @Test
  void whatWaitsBehindALockOfAReaderIsDroppedLater() throws Exception {
    daysLater(9, Duration.ZERO);
    testStore.ledgerStore().tick(node, ++calls, List.of());
    try (var reader = testStore.store().pool().getConnection();
        var select = reader.createStatement()) {
      reader.setAutoCommit(false);
      select.execute("SELECT count(*) FROM settlement");
      assertThatThrownBy(() -> retain(8, 8)).hasMessageContaining("lock timeout");
      reader.rollback();
      reader.setAutoCommit(true);
    }
    assertThat(retain(8, 8).charges()).contains(day);
  }

  @Test
  void ofWindowsLongOverOnlyLeasesThatMoneyIsLeftOfAreKept() throws Exception {
    KeyId owing = testStore.newKey(org);
    for (KeyId each : List.of(key, owing)) {
      Payer payer = new Payer(org, each, Window.at(then));
      testStore.limitDay(each, 100L);
      var want = new GrantItem(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
      testStore.ledgerStore().grant(node, new GrantRequest(++calls, payer, List.of(want), true));
      var last = new LeaseStatement(payer, ScopeKind.KEY_DAY, new MicroUsd(9), 0, true);
      testStore.ledgerStore().tick(node, ++calls, List.of(last));
    }
    int held = ScopeKind.KEY_DAY.bit();
    var late = TestLedgerStore.charge(RequestId.at(then), org, key, held, 9);
    testStore.ledgerStore().settle(node, List.of(late));

    days().tidy();
    assertThat(leasesOfTheDay()).hasSize(2);
    daysLater(10, Duration.ZERO);
    days().tidy();
    assertThat(leasesOfTheDay()).singleElement().asString().contains(owing.value());
    assertThat(audit().run()).isEmpty();
  }

  private List<String> leasesOfTheDay() throws Exception {
    return testStore.execute("SELECT scope_id FROM lease WHERE scope_id LIKE 'keyd:%'");
  }

  private void settle(long epochMillis, long cost, String row) throws Exception {
    var charge = TestLedgerStore.charge(RequestId.at(epochMillis), org, key, 0, cost, row);
    testStore.ledgerStore().settle(node, List.of(charge));
  }

  private void report(Duration owes) throws Exception {
    testStore.execute(
        "SELECT ledger_report(?, ?, ?, ?, ?, '{}', '{}')",
        node.node(),
        node.epoch(),
        node.boot(),
        ++calls,
        (double) owes.toSeconds());
  }

  /** Sets the clock to {@code days} after the charge, at midnight and {@code pastMidnight}. */
  private void daysLater(int days, Duration pastMidnight) throws Exception {
    LocalDate then = day.plusDays(days);
    testStore.setClock(Instant.parse(then + "T00:00:00Z").plus(pastMidnight).toEpochMilli());
  }

  private List<String> sums() throws Exception {
    return testStore.execute(
        "SELECT concat_ws(' ', sum_micro, n, prompt_tokens, completion_tokens, cached_tokens,"
            + " reasoning_tokens) FROM settlement_rollup WHERE day = ?::date",
        day.toString());
  }

  private List<UsageReport.UsageRow> usage(UsageReport.GroupBy by) throws Exception {
    return testStore
        .store()
        .usageReport()
        .sum(
            List.of(by),
            org,
            new UsageReport.Period(
                Instant.ofEpochMilli(then - 1), Instant.ofEpochMilli(then).plusSeconds(3600)));
  }

  private static UsageReport.UsageRow row(@Nullable String group) {
    return new UsageReport.UsageRow(
        Collections.singletonList(group), 1, 1, 2, 3, 4, new MicroUsd(7), new MicroUsd(7), 0, 0);
  }

  private DroppedDays retain(int chargeDays, int requestDays) throws Exception {
    return days().dropExpired(Duration.ofDays(chargeDays), Duration.ofDays(requestDays));
  }

  private LedgerPartitions days() {
    return testStore.store().ledgerPartitions();
  }

  private LedgerAudit audit() {
    return testStore.store().ledgerAudit();
  }
}
