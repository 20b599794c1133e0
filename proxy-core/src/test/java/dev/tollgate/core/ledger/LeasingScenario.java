package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.InMemoryLedgerStore;
import dev.tollgate.core.testkit.LedgerSums;
import java.util.UUID;

/**
 * Base of tests with one organization, a ledger store, and nodes that lease from it, without random
 * faults.
 */
abstract class LeasingScenario {
  static final OrgId ORG = new OrgId(new UUID(2, 0));

  final InMemoryLedgerStore ledgerStore = new InMemoryLedgerStore(1_795_000_000_000L);
  final SimulatedWorld world = new SimulatedWorld(ledgerStore);

  static ApiKey key(String id) {
    return key(id, ORG);
  }

  static ApiKey key(String id, OrgId org) {
    return new ApiKey(
        new KeyId(id),
        "k",
        "wxyz",
        new Org(org, "org", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        KeyScope.ALL,
        KeyLimits.DEFAULT);
  }

  SimulatedNode node(int n) {
    return new SimulatedNode(new UUID(1, n), world);
  }

  void ticks(int count, long millis, SimulatedNode... nodes) {
    for (int i = 0; i < count; i++) {
      world.pass(millis);
      for (SimulatedNode node : nodes) {
        node.tick(CallOutcome.FINE);
        for (int calls = 0; calls < 5 && node.lease(CallOutcome.FINE); calls++) {
          node.runLoop();
        }
        node.runLoop();
      }
    }
  }

  static ApiKey keyOfTheDay(String id) {
    var limits = new KeyLimits(null, null, null, null, new MicroUsd(100_000), null);
    ApiKey key = key(id);
    return new ApiKey(
        key.id(),
        key.name(),
        key.lastFour(),
        key.org(),
        key.state(),
        key.expiresAt(),
        key.scope(),
        limits);
  }

  long leased() {
    return ledgerStore.sums().scopes().values().stream()
        .mapToLong(LedgerSums.ScopeSums::leased)
        .max()
        .orElseThrow();
  }

  /** Makes the node's charges durable and settles them. */
  static void settle(SimulatedNode node) throws Exception {
    node.sync();
    node.flush(5_000, CallOutcome.FINE);
  }
}
