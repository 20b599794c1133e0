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
 * Recovery of a previous epoch's charges from its journal records, in the order in which they were
 * written. It returns every charge again, and the last progress of requests that were running.
 * Memory is bounded by the running requests. The ledger store settles a charge that is sent twice
 * once.
 */
public final class Recovery {
  private final Map<RequestId, Running> running = new LinkedHashMap<>();

  private record Running(Reserve reserve, @Nullable Progress last) {}

  /** Accepts the next record and returns the charge to send, if the record is one. */
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
   * Returns, after the last record, charges of the requests that were running when the node died,
   * in the order of their reservations. A request without progress is not charged.
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

  /** Returns the number of running requests. */
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
