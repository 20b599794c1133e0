package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.Settlement.How;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier life of a node still owes to the books, from its journal's records in the order
 * in which they were written: every charge again, and for what was running its last progress.
 */
public final class Recovery {
  private final Map<RequestId, Running> running = new LinkedHashMap<>();
  private final Set<RequestId> settled = new HashSet<>();
  private final Set<RequestId> released = new HashSet<>();

  private record Running(Reserve reserve, @Nullable Progress last) {}

  /** Takes in the next record, and answers the charge to send, if it is one and the first. */
  public Optional<Settlement> accept(JournalRecord record) {
    switch (record) {
      case Reserve reserve -> running.put(reserve.request(), new Running(reserve, null));
      case Progress progress ->
          running.computeIfPresent(
              progress.request(), (_, request) -> new Running(request.reserve(), progress));
      case Release release -> {
        running.remove(release.request());
        released.add(release.request());
      }
      case Settle settle -> {
        running.remove(settle.request());
        if (settled.add(settle.request())) {
          return Optional.of(settle.settlement());
        }
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

  /** Requests that ended and cost nothing. */
  public Set<RequestId> released() {
    return Set.copyOf(released);
  }

  private static Settlement crash(Reserve reserve, Progress last) {
    return new Settlement(
        reserve.request(),
        reserve.org(),
        reserve.key(),
        reserve.held(),
        reserve.reserved(),
        last.cost(),
        last.tokens(),
        How.CRASH,
        CrashLine.of(reserve, last));
  }
}
