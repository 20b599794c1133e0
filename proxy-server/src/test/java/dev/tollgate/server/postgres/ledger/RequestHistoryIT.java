package dev.tollgate.server.postgres.ledger;

import static java.util.Arrays.asList;
import static java.util.Collections.singletonList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.RequestHistory.Entry;
import dev.tollgate.server.postgres.ledger.RequestHistory.Filter;
import dev.tollgate.server.postgres.ledger.UsageReport.UsageRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Request log as people query it. */
@Execution(ExecutionMode.CONCURRENT)
class RequestHistoryIT {
  private static final Filter ALL = new Filter(null, null, null);
  private static final long NOW = System.currentTimeMillis();
  private static final Instant HOUR_AGO = Instant.ofEpochMilli(NOW).minus(Duration.ofHours(1));
  private static final UsageReport.Period LAST_HOUR =
      new UsageReport.Period(HOUR_AGO, HOUR_AGO.plus(Duration.ofHours(2)));

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static RequestHistory history;
  private static OrgId org;
  private static KeyId key;
  private static KeyId other;
  private static final RequestId GOOD = RequestId.at(NOW - 5_000);
  private static final RequestId BAD = RequestId.at(NOW - 4_000);
  private static final RequestId CRASHED = RequestId.at(NOW - 3_000);
  private static final RequestId OTHERS = RequestId.at(NOW - 2_000);

  @BeforeAll
  static void open() throws Exception {
    history = testStore.store().requestHistory();
    org = testStore.newOrg();
    key = testStore.newKey(org);
    other = testStore.newKey(org);
    LeaseHolder holder = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    Settlement crash =
        new Settlement(
            CRASHED,
            org,
            key,
            0,
            new MicroUsd(10),
            new MicroUsd(7),
            new Tokens(5, 6, 1, 2, true),
            Settlement.SettlementKind.CRASH,
            new byte[0]);
    testStore
        .ledgerStore()
        .settle(
            holder,
            List.of(
                TestLedgerStore.charge(GOOD, org, key, 0, 3, line("a/b", "ok")),
                crash,
                TestLedgerStore.charge(OTHERS, org, other, 0, 4, line("a/c", "ok"))));
    testStore.execute(
        "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
            + " VALUES (?::date, ?, ?, ?, ?::json)",
        Instant.ofEpochMilli(BAD.epochMillis()).toString().substring(0, 10),
        BAD.value(),
        org.value(),
        key.value(),
        """
        {"model": "a/b", "outcome": "rejected", "prompt_tokens": 8, "completion_tokens": 4,
         "cached_tokens": 7, "reasoning_tokens": 1}""");
  }

  @Test
  void theLatestComeLastAndACrashIsAmongThem() throws Exception {
    List<Entry> all = history.latest(ALL, HOUR_AGO, 10);
    assertThat(all).extracting(Entry::id).containsExactly(GOOD, BAD, CRASHED, OTHERS);
    assertThat(all).extracting(Entry::how).containsExactly("completed", null, "crash", "completed");
    assertThat(all.get(2).line()).contains("\"cost_micro\" : 7");
    assertThat(history.latest(ALL, HOUR_AGO, 2))
        .extracting(Entry::id)
        .containsExactly(CRASHED, OTHERS);
    assertThat(history.latest(ALL, Instant.ofEpochMilli(NOW - 2_500), 10)).hasSize(1);
  }

  @Test
  void theyAreFoundByKeyAndOutcomeAndOrganization() throws Exception {
    assertThat(history.latest(new Filter(org, other, null), HOUR_AGO, 10))
        .extracting(Entry::id)
        .containsExactly(OTHERS);
    assertThat(history.latest(new Filter(null, null, "rejected"), HOUR_AGO, 10))
        .extracting(Entry::id)
        .containsExactly(BAD);
    assertThat(history.latest(new Filter(testStore.newOrg(), null, null), HOUR_AGO, 10)).isEmpty();
  }

  @Test
  void whoFollowsGetsWhatWasWrittenSince() throws Exception {
    assertThat(history.written(new Filter(org, null, null), HOUR_AGO))
        .extracting(Entry::id)
        .containsExactlyInAnyOrder(GOOD, BAD, OTHERS);
    assertThat(history.written(ALL, history.now())).isEmpty();
  }

  @Test
  void usageIsSummedByWhateverIsAsked() throws Exception {
    UsageReport report = testStore.store().usageReport();
    assertThat(report.sum(List.of(UsageReport.GroupBy.MODEL), org, LAST_HOUR))
        .containsExactly(
            new UsageRow(List.of("a/b"), 2, 9, 6, 10, 5, new MicroUsd(3), new MicroUsd(3), 0, 0),
            new UsageRow(List.of("a/c"), 1, 1, 2, 3, 4, new MicroUsd(4), new MicroUsd(4), 0, 0),
            new UsageRow(
                singletonList(null), 1, 5, 6, 1, 2, new MicroUsd(7), new MicroUsd(7), 0, 0));
    assertThat(report.sum(List.of(UsageReport.GroupBy.KEY), null, LAST_HOUR))
        .containsExactlyInAnyOrder(
            new UsageRow(
                List.of(key.value()), 3, 14, 12, 11, 7, new MicroUsd(10), new MicroUsd(10), 0, 0),
            new UsageRow(
                List.of(other.value()), 1, 1, 2, 3, 4, new MicroUsd(4), new MicroUsd(4), 0, 0));
    assertThat(
            report.sum(
                List.of(UsageReport.GroupBy.KEY, UsageReport.GroupBy.MODEL), null, LAST_HOUR))
        .extracting(UsageRow::group, UsageRow::requests)
        .containsExactlyInAnyOrder(
            tuple(List.of(key.value(), "a/b"), 2L),
            tuple(asList(key.value(), null), 1L),
            tuple(List.of(other.value(), "a/c"), 1L));
    var before = new UsageReport.Period(HOUR_AGO, Instant.ofEpochMilli(NOW).minusSeconds(600));
    assertThat(report.sum(List.of(UsageReport.GroupBy.KEY), org, before)).isEmpty();
    List<UsageRow> days = report.sum(List.of(UsageReport.GroupBy.DAY), org, LAST_HOUR);
    assertThat(days.stream().mapToLong(UsageRow::requests).sum()).isEqualTo(4);
    assertThat(days.stream().mapToLong(UsageRow::cachedTokens).sum()).isEqualTo(14);
    assertThat(days.stream().mapToLong(UsageRow::reasoningTokens).sum()).isEqualTo(11);
    assertThat(report.sum(List.of(UsageReport.GroupBy.DAY), testStore.newOrg(), LAST_HOUR))
        .isEmpty();
  }

  @Test
  void requestsLeftBeforeTheFirstEventAreCountedByKey() throws Exception {
    OrgId leaving = testStore.newOrg();
    KeyId its = new KeyId("leaving1");
    for (String outcome : List.of("client_abort", "client_abort", "client_stalled", "rejected")) {
      testStore.execute(
          "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
              + " VALUES (?::date, ?, ?, ?, ?::json)",
          Instant.ofEpochMilli(NOW).toString().substring(0, 10),
          RequestId.at(NOW).value(),
          leaving.value(),
          its.value(),
          "{\"model\": \"a/b\", \"prompt_tokens\": 0, \"outcome\": \"" + outcome + "\"}");
    }
    assertThat(
            testStore
                .store()
                .usageReport()
                .sum(List.of(UsageReport.GroupBy.KEY), leaving, LAST_HOUR))
        .containsExactly(
            new UsageRow(
                List.of(its.value()), 4, 0, 0, 0, 0, new MicroUsd(0), new MicroUsd(0), 0, 3));
    testStore.execute("DELETE FROM request_log WHERE org_id = ?", leaving.value());
  }

  private static String line(String model, String outcome) {
    return "{\"model\": \"" + model + "\", \"outcome\": \"" + outcome + "\"}";
  }
}
