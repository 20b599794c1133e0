package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier life of a node still owes to the books, from its journal's records in the order
 * in which they were written: every charge again, and for what was running its last progress. It
 * keeps nothing of requests that ended, however many a life had; the books take a charge that
 * stands in it twice once.
 */
public final class Recovery {
  private final Map<RequestId, Running> running = new LinkedHashMap<>();

  private record Running(Reserve reserve, @Nullable Progress last) {}

  /** Takes in the next record, and answers the charge to send, if it is one. */
  public Optional<Settlement> accept(JournalRecord record) {
    switch (record) {
      case Reserve reserve -> running.put(reserve.request(), new Running(reserve, null));
      case Progress progress ->
          running.computeIfPresent(
              progress.request(), (_, request) -> new Running(request.reserve(), progress));
      case Release release -> running.remove(release.request());
      case Settle settle -> {
        running.remove(settle.request());
        return Optional.of(settle.settlement());
      }
    }
    return Optional.empty();
  }

  /**
   * Behind the last record: charges for requests that ran when the node died, in the order of their
   * reservations. One that was worth nothing so far is not charged.
   */
  public List<Settlement> crashed() {
    List<Settlement> charges = new ArrayList<>();
    for (Running request : running.values()) {
      Progress last = request.last();
      if (last != null && last.cost().isPositive()) {
        charges.add(crash(request.reserve(), last));
      }
    }
    return charges;
  }

  /** Requests of which something is kept. */
  int runningCount() {
    return running.size();
  }

  private static Settlement crash(Reserve reserve, Progress last) {
    return new Settlement(
        reserve.request(),
        reserve.org(),
        reserve.key(),
        reserve.scopeKinds(),
        reserve.reserved(),
        last.cost(),
        last.tokens(),
        SettlementKind.CRASH,
        CrashLine.of(reserve, last));
  }
}
