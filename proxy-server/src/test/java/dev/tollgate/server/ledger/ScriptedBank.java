package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank;
import dev.tollgate.core.ledger.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/** Books that take settlements, fail as told, and cannot take some. */
final class ScriptedBank implements Bank {
  final List<Long> booked = new ArrayList<>();
  final List<Integer> batches = new ArrayList<>();
  int failures;
  int most = Integer.MAX_VALUE;
  Predicate<Settlement> poison = _ -> false;

  @Override
  public Booked settle(Holder holder, List<Settlement> batch) throws BankException {
    batches.add(batch.size());
    if (failures > 0) {
      failures--;
      throw new BankException(BankException.Kind.UNREACHED, "gone", new Exception("cut"));
    }
    if (batch.size() > most) {
      throw new BankException(BankException.Kind.TRANSIENT, "timeout", new Exception("57014"));
    }
    if (batch.stream().anyMatch(poison)) {
      throw new BankException(BankException.Kind.POISONED, "no such key", new Exception("23503"));
    }
    batch.forEach(settlement -> booked.add(settlement.cost().value()));
    return new Booked(List.of());
  }

  @Override
  public Holder open(UUID node, UUID boot) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public void close(Holder holder) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public GrantAnswer grant(Holder holder, Ask ask) {
    throw new AssertionError("not for the settler");
  }

  @Override
  public TickAnswer tick(Holder holder, long number, List<Statement> statements) {
    throw new AssertionError("not for the settler");
  }
}
