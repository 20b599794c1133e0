package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException.Kind;
import dev.tollgate.core.ledger.LedgerStore.Recall;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.LedgerSums.ScopeSums;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine.QuarantinedCharge;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine.RetryResult;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Ledger store in a real database: refusals, and partitions that are created. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresLedgerStoreIT {
  private static final int BALANCE = ScopeKind.ORG.bit();
  private static final Duration DAY = Duration.ofDays(1);
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static PostgresLedgerStore ledgerStore;

  private long calls;
  private OrgId org;
  private KeyId key;
  private LeaseHolder holder;

  @BeforeAll
  static void open() throws Exception {
    ledgerStore = testStore.ledgerStore();
  }

  @BeforeEach
  void fund() throws Exception {
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000);
    holder = ledgerStore.open(UUID.randomUUID(), UUID.randomUUID());
  }

  @Test
  void aRowThatIsRefusedRefusesItsBatchAndIsPutAsideWhole() throws Exception {
    Settlement good = charge(now(), 3, "{\"a\": \"ü\"}");
    Settlement bad = charge(now() - Duration.ofDays(30).toMillis(), 4, "{broken");
    assertKind(Kind.POISONED, List.of(good, bad));
    assertThat(balance().used()).isZero();

    ledgerStore.settle(holder, List.of(good));
    ledgerStore.quarantine(holder, bad, "the reason");
    ledgerStore.quarantine(holder, bad, "the reason");
    assertThat(balance().used()).isEqualTo(3);
    assertThat(
            testStore.execute(
                "SELECT row::json ->> 'a' FROM request_log WHERE key_id = ?", key.value()))
        .containsExactly("ü");
    assertThat(
            testStore.execute(
                "SELECT concat_ws(' ', cost_micro, reason, convert_from(row, 'UTF8'))"
                    + " FROM settlement_quarantine WHERE request_id = ?",
                bad.request().value()))
        .containsExactly("4 the reason {broken");
  }

  @Test
  void aQuarantinedChargeIsSettledOnceAfterItsFaultIsCorrected() throws Exception {
    String other = key.value().startsWith("n") ? "m" : "n";
    var unknown = new KeyId(other + key.value().substring(1));
    Settlement charge =
        TestLedgerStore.charge(RequestId.at(now()), org, unknown, 0, 6, "{\"a\": 6}");
    assertKind(Kind.POISONED, List.of(charge));
    ledgerStore.quarantine(holder, charge, "nobody");
    LedgerQuarantine quarantine = testStore.store().ledgerQuarantine();
    assertThat(quarantine.retry(charge.request().value(), "me"))
        .isInstanceOfSatisfying(
            RetryResult.Refused.class, refused -> assertThat(refused.why()).contains("api_key"));
    assertThat(quarantine.list(0, 1_000))
        .filteredOn(aside -> aside.request().equals(charge.request().value()))
        .singleElement()
        .returns(new MicroUsd(6), QuarantinedCharge::cost)
        .returns("nobody", QuarantinedCharge::reason);

    testStore.execute(
        "INSERT INTO api_key SELECT (jsonb_populate_record(k, jsonb_build_object("
            + "'id', ?, 'hash', sha256(id::bytea)))).* FROM api_key k WHERE id = ?",
        unknown.value(),
        key.value());
    assertThat(quarantine.retry(charge.request().value(), "me"))
        .isEqualTo(new RetryResult.Settled(new MicroUsd(6)));
    assertThat(quarantine.retry(charge.request().value(), "me"))
        .isEqualTo(new RetryResult.Unknown());
    ledgerStore.settle(holder, List.of(charge));
    assertThat(balance().used()).isEqualTo(6);
    assertThat(testStore.execute("SELECT row FROM request_log WHERE key_id = ?", unknown.value()))
        .containsExactly("{\"a\": 6}");
    assertThat(decision(charge)).containsExactly("booked me 6 nobody");
  }

  @Test
  void aChargeThatWasDroppedIsNotPutAsideAgain() throws Exception {
    Settlement old = charge(now() - Duration.ofDays(30).toMillis(), 4, "");
    ledgerStore.quarantine(holder, old, "too late");
    LedgerQuarantine quarantine = testStore.store().ledgerQuarantine();
    assertThat(quarantine.retry(old.request().value(), "me"))
        .isInstanceOf(RetryResult.Refused.class);
    assertThat(quarantine.drop(old.request().value(), "me")).contains(new MicroUsd(4));
    assertThat(quarantine.drop(old.request().value(), "me")).isEmpty();
    ledgerStore.quarantine(holder, old, "too late, again");
    assertThat(quarantine.list(0, 1_000))
        .extracting(QuarantinedCharge::key)
        .doesNotContain(key.value());
    assertThat(balance().used()).isZero();
    assertThat(decision(old)).containsExactly("dropped me 4 too late");
    assertThatThrownBy(() -> testStore.execute("DELETE FROM quarantine_decision"))
        .hasMessageContaining("never changed");
  }

  @Test
  void aChargeWhoseLineIsRefusedLeavesQuarantineWithoutIt() throws Exception {
    Settlement charge = charge(now(), 5, "{}");
    ledgerStore.quarantine(holder, charge, "its line");
    String request = charge.request().value();
    testStore.execute(
        "ALTER TABLE request_log ADD CONSTRAINT its CHECK (request_id <> '" + request + "')");
    assertThat(testStore.store().ledgerQuarantine().retry(request, "me"))
        .isEqualTo(new RetryResult.Settled(new MicroUsd(5)));
    testStore.execute("ALTER TABLE request_log DROP CONSTRAINT its");
    assertThat(balance().used()).isEqualTo(5);
    assertThat(testStore.execute("SELECT row FROM request_log WHERE key_id = ?", key.value()))
        .isEmpty();
  }

  private static List<String> decision(Settlement charge) throws Exception {
    return testStore.execute(
        "SELECT concat_ws(' ', decision, actor, cost_micro, reason) FROM quarantine_decision"
            + " WHERE request_id = ?",
        charge.request().value());
  }

  @Test
  void ofAPartlySentBatchTheRestIsSettled() throws Exception {
    Settlement first = charge(now(), 3, "{\"a\": 1}");
    Settlement second = charge(now(), 4, "");
    Settlement third = charge(now(), 5, "{\"a\": 3}");
    ledgerStore.settle(holder, List.of(first, second));
    ledgerStore.settle(holder, List.of(second, third, first));
    ledgerStore.settle(holder, List.of(third));

    assertThat(balance().used()).isEqualTo(12);
    assertThat(
            testStore.execute(
                "SELECT row::json ->> 'a' FROM request_log WHERE key_id = ? ORDER BY 1",
                key.value()))
        .containsExactly("1", "3");
    assertThat(
            testStore.execute(
                "SELECT sum(cost_micro)::text FROM settlement WHERE key_id = ?", key.value()))
        .containsExactly("12");
  }

  @Test
  void aCharacterThatTheDatabaseRefusesIsReplacedInARow() throws Exception {
    ledgerStore.settle(holder, List.of(charge(now(), 3, "{\"a\": \"x\\u0000y\"}")));
    assertThat(balance().used()).isEqualTo(3);
    assertThat(
            testStore.execute(
                "SELECT row::json ->> 'a' FROM request_log WHERE key_id = ?", key.value()))
        .containsExactly("x\uFFFDy");
  }

  @Test
  void aChargeOfAStrangerIsPoisoned() {
    var stranger = new OrgId(UUID.randomUUID());
    assertKind(
        Kind.POISONED, List.of(TestLedgerStore.charge(RequestId.at(now()), stranger, key, 0, 1)));
  }

  @Test
  void anUnreachableDatabaseIsNotTheRowsFault() throws Exception {
    TestLedgerStore gone = TestLedgerStore.open();
    PostgresLedgerStore its = gone.ledgerStore();
    gone.close();
    assertThatThrownBy(() -> its.tick(holder, ++calls, List.of()))
        .isInstanceOfSatisfying(
            LedgerStoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TRANSIENT));
  }

  @Test
  void aYoungDayIsMadeWhenItIsNeededAndAnOldOneIsNot() throws Exception {
    long fiveDaysAgo = now() - Duration.ofDays(5).toMillis();
    ledgerStore.settle(holder, List.of(charge(fiveDaysAgo, 5, "")));
    assertThat(balance().used()).isEqualTo(5);
    assertKind(Kind.POISONED, List.of(charge(now() - Duration.ofDays(30).toMillis(), 5, "")));
    assertKind(Kind.POISONED, List.of(charge(now() + Duration.ofDays(30).toMillis(), 5, "")));
  }

  @Test
  void aLoweredLimitCallsIdleMoneyBack() throws Exception {
    testStore.limitDay(key, 500L);
    Payer payer = new Payer(org, key, Window.at(now()));
    grant(ScopeKind.KEY_DAY, 100);
    testStore.limitDay(key, 600L);
    assertThat(recalls()).isEmpty();
    testStore.limitDay(key, 50L);
    assertThat(recalls()).containsExactly(new Recall(payer.scope(ScopeKind.KEY_DAY), 1));
  }

  @Test
  void aLoweredLimitCallsBackWhatWasLeasedForADayThatIsAboutToBegin() throws Exception {
    try (TestLedgerStore aside = TestLedgerStore.open()) {
      long midnight = Window.at(now()).resetsAt(ScopeKind.KEY_DAY).toEpochMilli();
      aside.setClock(midnight - 50_000);
      OrgId its = aside.newOrg();
      KeyId itsKey = aside.newKey(its);
      aside.limitDay(itsKey, 100L);
      LeaseHolder node = aside.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
      Payer tomorrow = new Payer(its, itsKey, Window.at(midnight));
      var want = new GrantItem(ScopeKind.KEY_DAY, new MicroUsd(9), new MicroUsd(9));
      aside.ledgerStore().grant(node, new GrantRequest(1, tomorrow, List.of(want), false));
      aside.limitDay(itsKey, 50L);
      assertThat(aside.ledgerStore().tick(node, 2, List.of()))
          .isInstanceOfSatisfying(
              TickAnswer.Accepted.class,
              alive ->
                  assertThat(alive.recalls())
                      .containsExactly(new Recall(tomorrow.scope(ScopeKind.KEY_DAY), 1)));
    }
  }

  @Test
  void ofWhatWasRecalledLongAgoATickReadsNothing() throws Exception {
    testStore.execute(
        "INSERT INTO scope_account (scope_id, org_id, key_id)"
            + " SELECT 'keyd:' || ? || ':' || (date '1970-01-01' + n), ?, ?"
            + " FROM generate_series(1, 5000) n",
        key.value(),
        org.value(),
        key.value());
    testStore.execute("UPDATE scope_account SET recall = 1 WHERE scope_id LIKE 'keyd:%:19%'");
    testStore.execute(
        "UPDATE scope_account SET recalled_at = recalled_at - interval '61 minutes'"
            + " WHERE scope_id LIKE 'keyd:%:19%'");
    testStore.limitDay(key, 500L);
    grant(ScopeKind.KEY_DAY, 100);
    testStore.limitDay(key, 50L);
    long read = rowsReadByATick();
    assertThat(read).as("rows of scopes that a tick reads").isBetween(1L, 100L);
    assertThat(recalls()).hasSize(1);
    testStore.execute("DELETE FROM scope_account WHERE scope_id LIKE 'keyd:%:19%'");
  }

  private long rowsReadByATick() throws Exception {
    try (Connection connection = testStore.store().pool().getConnection()) {
      connection.setAutoCommit(false);
      String tick =
          "SELECT count(*) FROM ledger_tick('%s', %d, '%s', %d, '{}', '{}', '{}', '{}', '{}', '{}')"
              .formatted(holder.node(), holder.epoch(), holder.boot(), ++calls);
      long before = rowsRead(connection);
      assertThat(number(connection, tick)).isEqualTo(2);
      long read = rowsRead(connection) - before;
      connection.rollback();
      connection.setAutoCommit(true);
      return read;
    }
  }

  /** Returns the rows that this session read recently. */
  private static long rowsRead(Connection connection) throws Exception {
    return number(
        connection,
        "SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)"
            + " FROM pg_stat_xact_user_tables WHERE relname = 'scope_account'");
  }

  private static long number(Connection connection, String sql) throws Exception {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void aBootThatIsNotThePresentOneIsFenced() throws Exception {
    var copy = new LeaseHolder(holder.node(), holder.epoch(), UUID.randomUUID());
    assertThat(ledgerStore.tick(copy, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());
    assertThat(ledgerStore.tick(holder, ++calls, List.of()))
        .isInstanceOf(TickAnswer.Accepted.class);
  }

  @Test
  void whatItsEpochHadHeldIsFreeAndALateChargeStillCounts() throws Exception {
    grant(ScopeKind.ORG, 100);
    assertThat(balance().leased()).isEqualTo(100);
    ledgerStore.open(holder.node(), UUID.randomUUID());
    ledgerStore.settle(holder, List.of(charge(now(), 8, "")));
    assertThat(balance()).isEqualTo(new ScopeSums(8, 0, 8, 0));
  }

  @Test
  void aFaultyLedgerIsNotTheChargesFault() throws Exception {
    grant(ScopeKind.ORG, 100);
    Settlement charge = charge(now(), 8, "");
    leased(0);
    assertKind(Kind.TRANSIENT, List.of(charge));
    leased(100);
    ledgerStore.settle(holder, List.of(charge));
    ledgerStore.settle(holder, List.of(charge));
    assertThat(balance()).isEqualTo(new ScopeSums(8, 92, 0, 0));
  }

  private void leased(long micro) throws Exception {
    testStore.execute(
        "UPDATE scope_account SET leased_micro = ? WHERE scope_id = ?", micro, "org:" + org);
  }

  @Test
  void aDayThatIsBeingClosedStopsNoGrant() throws Exception {
    String yesterday = Window.at(now() - DAY.toMillis()).day().toString().replace("-", "");
    ledgerStore.settle(holder, List.of(charge(now() - DAY.toMillis(), 1, "")));
    assertGrantedBesides("LOCK settlement_" + yesterday + " IN SHARE ROW EXCLUSIVE MODE");
  }

  @Test
  void aDayThatIsBeingDroppedStopsNoGrant() throws Exception {
    assertGrantedBesides("LOCK ONLY settlement IN ACCESS EXCLUSIVE MODE");
    assertGrantedBesides("LOCK ONLY request_log IN ACCESS EXCLUSIVE MODE");
  }

  /** While another session holds a lock that charges wait for, grants proceed. */
  private void assertGrantedBesides(String lock) throws Exception {
    long used = balance().used();
    List<Settlement> batch = List.of(charge(now() - DAY.toMillis(), 2, ""), charge(now(), 3, "{}"));
    CompletableFuture<Void> settled;
    try (var connection = testStore.store().pool().getConnection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(lock);
      settled = CompletableFuture.runAsync(() -> settle(batch));
      while (waiting() == 0) {
        assertThat(settled).isNotDone();
      }
      long began = System.nanoTime();
      grant(ScopeKind.ORG, 5);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
      assertThat(settled).isNotDone();
      connection.rollback();
      connection.setAutoCommit(true);
    }
    settled.exceptionally(_ -> null).join();
    ledgerStore.settle(holder, batch);
    assertThat(balance().used()).isEqualTo(used + 5);
  }

  private void settle(List<Settlement> batch) {
    try {
      ledgerStore.settle(holder, batch);
    } catch (LedgerStoreException e) {
      throw new CompletionException(e);
    }
  }

  private static int waiting() throws Exception {
    return Integer.parseInt(
        testStore
            .execute(
                "SELECT count(*) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
            .getFirst());
  }

  private void grant(ScopeKind kind, long amount) throws LedgerStoreException {
    var want = new GrantItem(kind, new MicroUsd(amount), new MicroUsd(amount));
    Payer payer = new Payer(org, key, Window.at(now()));
    assertThat(ledgerStore.grant(holder, new GrantRequest(++calls, payer, List.of(want), true)))
        .isInstanceOf(GrantAnswer.Issued.class);
  }

  private List<Recall> recalls() throws LedgerStoreException {
    return ((TickAnswer.Accepted) ledgerStore.tick(holder, ++calls, List.of())).recalls();
  }

  private ScopeSums balance() throws Exception {
    return testStore.balance(org);
  }

  private void assertKind(Kind kind, List<Settlement> batch) {
    assertThatThrownBy(() -> ledgerStore.settle(holder, batch))
        .isInstanceOfSatisfying(
            LedgerStoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }

  private Settlement charge(long epochMillis, long cost, String row) {
    return TestLedgerStore.charge(RequestId.at(epochMillis), org, key, BALANCE, cost, row);
  }

  private static long now() {
    return System.currentTimeMillis();
  }
}
