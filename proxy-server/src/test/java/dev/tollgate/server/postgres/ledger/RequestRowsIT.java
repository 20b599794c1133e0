package dev.tollgate.server.postgres.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Rows of the request log for requests without a charge. */
@Execution(ExecutionMode.CONCURRENT)
class RequestRowsIT {
  @Test
  void aRequestHasOneRowHoweverOftenItIsAdded() throws Exception {
    try (TestLedgerStore testStore = TestLedgerStore.open()) {
      OrgId org = testStore.newOrg();
      KeyId key = testStore.newKey(org);
      RequestRows rows =
          testStore.store().requestRows(each -> "{\"a\": \"ü\\u0000\"}".getBytes(UTF_8));
      RequestRecord one = record(org, key);
      RequestRecord two = record(org, key);
      rows.add(List.of(one));
      rows.add(List.of(one, two));
      assertThat(
              testStore.execute(
                  "SELECT row::json ->> 'a' FROM request_log WHERE key_id = ?", key.value()))
          .containsExactly("ü\uFFFD", "ü\uFFFD");
    }
  }

  /** Whichever way a row comes, and from whichever version's journal. */
  @Test
  void aCostAboveTheChargeIsAColumnOfItsRow() throws Exception {
    try (TestLedgerStore testStore = TestLedgerStore.open()) {
      OrgId org = testStore.newOrg();
      KeyId key = testStore.newKey(org);
      String cost = "{\"cost_micro\":5,\"operator_cost_micro\":%s,\"below_cost\":true}";
      testStore
          .store()
          .requestRows(_ -> cost.formatted("7").getBytes(UTF_8))
          .add(List.of(record(org, key)));
      var node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
      List<String> rows =
          List.of(
              cost.formatted("12345678901"),
              "{\"cost_micro\":5}",
              "",
              "{\"routing\":\"\\\"operator_cost_micro\\\":9\"}",
              cost.formatted("null"));
      List<Settlement> charges = new ArrayList<>();
      for (String row : rows) {
        RequestId id = RequestId.at(System.currentTimeMillis());
        charges.add(TestLedgerStore.charge(id, org, key, 0, 5, row));
      }
      testStore.ledgerStore().settle(node, charges);
      assertThat(
              testStore.execute(
                  "SELECT coalesce(operator_cost_micro::text, 'none') FROM request_log"
                      + " ORDER BY operator_cost_micro"))
          .containsExactly("7", "12345678901", "none", "none", "none");
    }
  }

  private static RequestRecord record(OrgId org, KeyId key) {
    return new RequestRecord(
        RequestId.at(System.currentTimeMillis()),
        Duration.ZERO,
        new RequestRecord.HttpSummary("192.0.2.1", "GET", "/v1/models", 200, 0, 0),
        RequestOutcome.OK,
        null,
        null,
        new ApiKey(
            key,
            "k",
            "abcd",
            new Org(org, "org", Org.State.ACTIVE, null),
            KeyState.ACTIVE,
            null,
            ApiKey.KeyScope.ALL,
            ApiKey.KeyLimits.DEFAULT),
        null);
  }
}
