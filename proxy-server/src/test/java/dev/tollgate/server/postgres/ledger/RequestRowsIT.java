package dev.tollgate.server.postgres.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of the request log for requests without a charge. */
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

  private static RequestRecord record(OrgId org, KeyId key) {
    return new RequestRecord(
        RequestId.at(System.currentTimeMillis()),
        Duration.ZERO,
        new RequestRecord.HttpSummary("192.0.2.1", "GET", "/v1/models", 200, 0, 0),
        RequestOutcome.OK,
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
