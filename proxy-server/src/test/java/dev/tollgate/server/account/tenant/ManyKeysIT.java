package dev.tollgate.server.account.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.TestAccounts;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An organization with as many keys as none should have. */
class ManyKeysIT {
  private static final int KEYS = 10_000;

  /** Some five times as long as it takes on two cores that are otherwise idle. */
  private static final Duration BEST_OF_FIVE_MAX = Duration.ofMillis(100);

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  @Test
  void tenThousandKeysAreListedAndSortedBySpend() throws Exception {
    OrgId org = testStore.newOrg();
    testStore.execute(
        "INSERT INTO api_key (id, org_id, name, hash, last_four)"
            + " SELECT lpad(n::text, 8, '0'), ?, 'key ' || n, sha256(n::text::bytea), 'last'"
            + " FROM generate_series(1, ?) n",
        org.value(),
        KEYS);
    testStore.execute(
        "INSERT INTO scope_account (scope_id, org_id, key_id, limit_micro, used_micro)"
            + " SELECT 'keym:' || id || ':' || to_char(ledger_now() AT TIME ZONE 'UTC', 'YYYY-MM'),"
            + " org_id, id, NULL, id::bigint FROM api_key WHERE org_id = ?",
        org.value());
    testStore.execute("ANALYZE");
    OrgAccess owner = new TestAccounts(testStore).member(org, Role.OWNER);
    var keys =
        new KeyService(testStore.store().pool(), () -> KeyServiceIT.LIMITS, Set::of, () -> {});
    for (KeySort sort : KeySort.values()) {
      long best = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) {
        long began = System.nanoTime();
        var part = keys.list(owner, new KeyQuery(List.of(), null, null, sort), Page.first(50));
        best = Math.min(best, System.nanoTime() - began);
        assertThat(part.total()).isEqualTo(KEYS);
        assertThat(part.data()).hasSize(50);
        if (sort == KeySort.SPEND) {
          assertThat(part.data().getFirst().spend().monthMicro()).isEqualTo(KEYS);
        }
      }
      assertThat(best).as(sort.name()).isLessThan(BEST_OF_FIVE_MAX.toNanos());
    }
  }
}
