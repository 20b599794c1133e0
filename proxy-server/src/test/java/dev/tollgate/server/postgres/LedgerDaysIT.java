package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.Statement;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.LedgerDays.Dropped;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A day is closed with its sums, takes what comes late, and is dropped when nobody owes it. */
class LedgerDaysIT {
  private final long then = System.currentTimeMillis();
  private final LocalDate day = Window.at(then).day();
  private TestBooks books;
  private long calls;
  private OrgId org;
  private KeyId key;
  private Holder node;

  @BeforeEach
  void charge() throws Exception {
    books = TestBooks.open();
    org = books.newOrg();
    key = books.newKey(org);
    books.fund(org, 1_000);
    node = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
    settle(then, 7, "{\"model\": \"a/b\"}");
  }

  @AfterEach
  void close() {
    books.close();
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
    var ofTwo = new UsageReport.Row(key.value(), 2, 2, 4, 6, 8, new MicroUsd(12));
    assertThat(usage(UsageReport.By.KEY)).containsExactly(ofTwo);
    daysLater(1, Duration.ofHours(1));
    assertThat(days().close()).contains(day);
    assertThat(usage(UsageReport.By.KEY)).containsExactly(ofTwo);

    settle(then + 2, 3, "");
    var ofThree = new UsageReport.Row(key.value(), 3, 3, 6, 9, 12, new MicroUsd(15));
    assertThat(usage(UsageReport.By.KEY)).containsExactly(ofThree);
    assertThat(audit().runFull()).isEmpty();
    daysLater(9, Duration.ZERO);
    books.bank().tick(node, ++calls, List.of());
    assertThat(retain(8, 8).charges()).contains(day);
    assertThat(usage(UsageReport.By.KEY)).containsExactly(ofThree);
    assertThat(audit().run()).isEmpty();
    assertThat(audit().runFull()).isEmpty();
  }

  @Test
  void anOldDayIsDroppedAndItsSumsStay() throws Exception {
    List<UsageReport.Row> before = usage(UsageReport.By.KEY);
    daysLater(9, Duration.ZERO);
    books.bank().tick(node, ++calls, List.of());
    Dropped dropped = retain(8, 8);
    assertThat(dropped.charges()).contains(day.minusDays(1), day);
    assertThat(dropped.requests()).contains(day.minusDays(1), day);
    assertThat(retain(0, 0)).isEqualTo(new Dropped(List.of(), List.of()));

    assertThat(books.execute("SELECT count(*) FROM settlement")).containsExactly("0");
    assertThat(books.execute("SELECT count(*) FROM request_log")).containsExactly("0");
    assertThat(books.balance(org).used()).isEqualTo(7);
    assertThat(audit().run()).isEmpty();
    assertThat(audit().runFull()).isEmpty();
    assertThat(usage(UsageReport.By.KEY)).isEqualTo(before);
    assertThat(usage(UsageReport.By.DAY)).containsExactly(row(day.toString()));
    assertThat(usage(UsageReport.By.MODEL)).containsExactly(row(null));
    assertThat(books.store().standings().find(key, Window.at(then))).isPresent();
  }

  @Test
  void theRequestLogGoesEarlierThanTheCharges() throws Exception {
    daysLater(30, Duration.ZERO);
    books.bank().tick(node, ++calls, List.of());
    assertThat(retain(90, 8).requests()).contains(day);
    assertThat(books.execute("SELECT count(*) FROM settlement")).containsExactly("1");
    assertThat(usage(UsageReport.By.MODEL)).containsExactly(row(null));
  }

  @Test
  void aDayStaysWhileANodeMayOweChargesOfIt() throws Exception {
    daysLater(9, Duration.ZERO);
    assertThat(retain(8, 8).charges()).as("a node that is silent").isEmpty();
    books.bank().tick(node, ++calls, List.of());
    report(Duration.ofDays(8));
    assertThat(retain(8, 8).charges()).as("a node that cannot settle").doesNotContain(day);
    report(Duration.ofDays(6));
    assertThat(retain(8, 8).charges()).contains(day);
  }

  @Test
  void aDayThatWasDroppedTakesNoCharge() throws Exception {
    daysLater(20, Duration.ZERO);
    books.bank().tick(node, ++calls, List.of());
    retain(8, 8);
    assertThatThrownBy(() -> settle(then, 1, ""))
        .isInstanceOfSatisfying(
            BankException.class, e -> assertThat(e.kind()).isEqualTo(BankException.Kind.POISONED));
  }

  @Test
  void whatWaitsBehindALockOfAReaderIsDroppedLater() throws Exception {
    daysLater(9, Duration.ZERO);
    books.bank().tick(node, ++calls, List.of());
    try (var reader = books.store().pool().getConnection();
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
    KeyId owing = books.newKey(org);
    for (KeyId each : List.of(key, owing)) {
      Payer payer = new Payer(org, each, Window.at(then));
      books.limitDay(each, 100L);
      var want = new Want(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
      books.bank().grant(node, new Ask(++calls, payer, List.of(want), true));
      var last = new Statement(payer, ScopeKind.KEY_DAY, new MicroUsd(9), 0, true);
      books.bank().tick(node, ++calls, List.of(last));
    }
    int held = ScopeKind.KEY_DAY.bit();
    var late = TestBooks.charge(RequestId.at(then), org, key, held, 9);
    books.bank().settle(node, List.of(late));

    days().tidy();
    assertThat(leasesOfTheDay()).hasSize(2);
    daysLater(10, Duration.ZERO);
    days().tidy();
    assertThat(leasesOfTheDay()).singleElement().asString().contains(owing.value());
    assertThat(audit().run()).isEmpty();
  }

  private List<String> leasesOfTheDay() throws Exception {
    return books.execute("SELECT scope_id FROM lease WHERE scope_id LIKE 'keyd:%'");
  }

  private void settle(long epochMillis, long cost, String row) throws Exception {
    var charge = TestBooks.charge(RequestId.at(epochMillis), org, key, 0, cost, row);
    books.bank().settle(node, List.of(charge));
  }

  private void report(Duration owes) throws Exception {
    books.execute(
        "SELECT ledger_report(?, ?, ?, ?, ?, '{}', '{}')",
        node.node(),
        node.epoch(),
        node.boot(),
        ++calls,
        (double) owes.toSeconds());
  }

  /** The clock shows so many days after the charge, at midnight and so much. */
  private void daysLater(int days, Duration pastMidnight) throws Exception {
    LocalDate then = day.plusDays(days);
    books.setClock(Instant.parse(then + "T00:00:00Z").plus(pastMidnight).toEpochMilli());
  }

  private List<String> sums() throws Exception {
    return books.execute(
        "SELECT concat_ws(' ', sum_micro, n, prompt_tokens, completion_tokens, cached_tokens,"
            + " reasoning_tokens) FROM settlement_rollup WHERE day = ?::date",
        day.toString());
  }

  private List<UsageReport.Row> usage(UsageReport.By by) throws Exception {
    return books.store().usageReport().sum(by, org, Instant.ofEpochMilli(then - 1));
  }

  private static UsageReport.Row row(@Nullable String group) {
    return new UsageReport.Row(group, 1, 1, 2, 3, 4, new MicroUsd(7));
  }

  private Dropped retain(int chargeDays, int requestDays) throws Exception {
    return days().retain(Duration.ofDays(chargeDays), Duration.ofDays(requestDays));
  }

  private LedgerDays days() {
    return books.store().ledgerDays();
  }

  private LedgerAudit audit() {
    return books.store().ledgerAudit();
  }
}
