package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/** Ledger store that settles charges, fails as scripted, and rejects given charges. */
final class ScriptedLedgerStore implements LedgerStore {
  final List<Long> settledCosts = new ArrayList<>();
  final List<Integer> batches = new ArrayList<>();
  int failures;
  int most = Integer.MAX_VALUE;
  Predicate<Settlement> poison = _ -> false;

  @Override
  public SettleAnswer settle(LeaseHolder holder, List<Settlement> batch)
      throws LedgerStoreException {
    batches.add(batch.size());
    if (failures > 0) {
      failures--;
      throw new LedgerStoreException(
          LedgerStoreException.Kind.UNREACHABLE, "down", new Exception("cut"));
    }
    if (batch.size() > most) {
      throw new LedgerStoreException(
          LedgerStoreException.Kind.TRANSIENT, "timeout", new Exception("57014"));
    }
    if (batch.stream().anyMatch(poison)) {
      throw new LedgerStoreException(
          LedgerStoreException.Kind.POISONED, "no such key", new Exception("23503"));
    }
    batch.forEach(settlement -> settledCosts.add(settlement.cost().value()));
    return new SettleAnswer(List.of());
  }

  @Override
  public LeaseHolder open(UUID node, UUID boot) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public void close(LeaseHolder holder) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public GrantAnswer grant(LeaseHolder holder, GrantRequest ask) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public TickAnswer tick(LeaseHolder holder, long number, List<LeaseStatement> statements) {
    throw new AssertionError("not for the settler");
  }
}
