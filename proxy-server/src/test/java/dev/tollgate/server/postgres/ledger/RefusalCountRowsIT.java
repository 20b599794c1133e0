package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.RequestHistory.Filter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Counts of refused requests, to which several nodes add. */
@Execution(ExecutionMode.CONCURRENT)
class RefusalCountRowsIT {
  private static final int NODES = 4;
  private static final int ROUNDS = 25;
  private static final long MINUTE = RefusalCount.minuteOf(System.currentTimeMillis());

  @RegisterExtension private static final TestLedgerStore TEST_STORE = TestLedgerStore.perClass();

  @Test
  void nodesAddToTheSameRowsInAnyOrder() throws Exception {
    OrgId org = TEST_STORE.newOrg();
    List<RefusalCount> counts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      KeyId key = TEST_STORE.newKey(org);
      counts.add(new RefusalCount(MINUTE, org, key, "key_revoked", 3));
      counts.add(new RefusalCount(MINUTE - 1, org, key, "rate_limited", 1));
    }
    List<Callable<Integer>> nodes = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      nodes.add(() -> add(new ArrayList<>(counts)));
    }
    try (var threads = Executors.newFixedThreadPool(NODES)) {
      for (var end : threads.invokeAll(nodes)) {
        end.get();
      }
    }
    int times = NODES * ROUNDS;
    assertThat(latest(new Filter(org, null, null), 100))
        .containsExactlyInAnyOrderElementsOf(
            counts.stream().map(each -> times(each, times)).toList());
    assertThat(latest(new Filter(org, counts.getFirst().key(), null), 100))
        .containsExactly(times(counts.get(1), times), times(counts.get(0), times));
    assertThat(latest(new Filter(null, counts.getFirst().key(), null), 1))
        .containsExactly(times(counts.get(0), times));
  }

  @Test
  void usageHasThemApartFromTheRequests() throws Exception {
    OrgId org = TEST_STORE.newOrg();
    KeyId key = TEST_STORE.newKey(org);
    TEST_STORE
        .store()
        .refusalCounts()
        .add(List.of(new RefusalCount(MINUTE, org, key, "key_revoked", 12_000)));
    var sums =
        TEST_STORE
            .store()
            .usageReport()
            .sum(
                List.of(UsageReport.GroupBy.KEY),
                org,
                new UsageReport.Period(
                    Instant.now().minusSeconds(60), Instant.now().plusSeconds(60)));
    assertThat(sums).singleElement().extracting(UsageReport.UsageRow::requests).isEqualTo(0L);
    assertThat(sums)
        .singleElement()
        .extracting(UsageReport.UsageRow::countedRefusals)
        .isEqualTo(12_000L);
  }

  private static int add(List<RefusalCount> counts) throws Exception {
    RefusalCountRows rows = TEST_STORE.store().refusalCounts();
    for (int round = 0; round < ROUNDS; round++) {
      Collections.shuffle(counts);
      rows.add(counts);
    }
    return ROUNDS;
  }

  private static RefusalCount times(RefusalCount count, int times) {
    return new RefusalCount(
        count.epochMinute(), count.org(), count.key(), count.code(), count.refusals() * times);
  }

  private static List<RefusalCount> latest(Filter filter, int rowsMax) throws Exception {
    return TEST_STORE
        .store()
        .refusalCounts()
        .latest(filter, Instant.now().minusSeconds(300), rowsMax);
  }
}
