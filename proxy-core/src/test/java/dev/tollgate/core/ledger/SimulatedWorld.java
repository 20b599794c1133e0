package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.testkit.InMemoryLedgerStore;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** State that all nodes of a simulation share, and what observers know of them. */
final class SimulatedWorld {
  /**
   * Time that nodes have for a heartbeat after an outage of the store before one counts as lost.
   */
  private static final long HEARTBEAT_GRACE_MILLIS = 120_000;

  private static final Duration LOST = LedgerRules.DEFAULT.leaseTtl().plusSeconds(60);
  private static final Duration RELEASED = LedgerRules.DEFAULT.leaseTtl().plusHours(24);

  final InMemoryLedgerStore ledgerStore;
  final Map<RequestId, Long> acknowledged = new HashMap<>();
  final Map<RequestId, Long> decided = new HashMap<>();
  final Map<RequestId, Long> progress = new HashMap<>();
  final Set<RequestId> released = new HashSet<>();
  final Map<RequestId, LocalDate> admitted = new HashMap<>();
  final List<Ledger.ReserveResult.Refused> refused = new ArrayList<>();
  final Map<RequestId, Settlement> quarantined = new HashMap<>();

  /** Charges in the journal of a node that has not returned. */
  final Map<RequestId, Settlement> unrecovered = new HashMap<>();

  /**
   * Holder of each request that was reserved after the holder's last report of commitments; {@code
   * reserved} has those of all requests.
   */
  final Map<RequestId, LeaseHolder> unreported = new HashMap<>();

  final Map<RequestId, LeaseHolder> reserved = new HashMap<>();
  final Set<LeaseHolder> lost = new HashSet<>();
  final Set<LeaseHolder> closedHolders = new HashSet<>();
  private final @Nullable Mutant mutant;
  private long upAgainMillis;
  long nanos;
  int served;
  int outages;
  boolean hasPoison;

  SimulatedWorld(InMemoryLedgerStore ledgerStore) {
    this(ledgerStore, null);
  }

  SimulatedWorld(InMemoryLedgerStore ledgerStore, @Nullable Mutant mutant) {
    this.ledgerStore = ledgerStore;
    this.mutant = mutant;
  }

  boolean is(Mutant other) {
    return mutant == other;
  }

  /** Returns the rules that a node uses, which differ from {@code rules} for a mutant. */
  LedgerRules rules(LedgerRules rules) {
    return is(Mutant.SPENDS_DURING_AN_OUTAGE)
        ? LedgerRules.of(Duration.ofDays(1), Duration.ofDays(2))
        : rules;
  }

  Optional<Settlement> outsideStore(RequestId request) {
    return Optional.ofNullable(quarantined.getOrDefault(request, unrecovered.get(request)));
  }

  void pass(long millis) {
    nanos += millis * 1_000_000;
    ledgerStore.advance(Duration.ofMillis(millis));
  }

  /** Makes the store unreachable for a time. */
  void outage(long millis) {
    upAgainMillis = ledgerStore.millis() + millis;
    outages++;
  }

  void endOutage() {
    upAgainMillis = Math.min(upAgainMillis, ledgerStore.millis());
  }

  boolean isDown() {
    return ledgerStore.millis() < upAgainMillis;
  }

  /** Releases unresponsive nodes, as any node does for the others. */
  void releaseLostNodes() {
    if (ledgerStore.millis() >= upAgainMillis + HEARTBEAT_GRACE_MILLIS) {
      lost.addAll(ledgerStore.markLost(LOST));
      closedHolders.addAll(ledgerStore.release(RELEASED));
    }
  }

  /**
   * True if a charge may exceed the money held for it, because its node was lost before it could
   * report that commitment, or was released.
   */
  boolean mayBeBeyond(RequestId request) {
    return closedHolders.contains(reserved.get(request)) || lost.contains(unreported.get(request));
  }

  /**
   * Settles a batch; if one of its charges is rejected, settles one by one and quarantines that
   * one.
   */
  Optional<List<LeaseGrowth>> settle(LeaseHolder settling, List<Settlement> batch)
      throws LedgerStoreException {
    try {
      return Optional.of(ledgerStore.settle(settling, batch).overruns());
    } catch (LedgerStoreException poisoned) {
      if (is(Mutant.STOPS_AT_A_POISON_ROW)) {
        return Optional.empty();
      }
      if (batch.size() == 1) {
        quarantined.put(batch.getFirst().request(), batch.getFirst());
        return Optional.of(List.of());
      }
    }
    List<LeaseGrowth> overruns = new ArrayList<>();
    for (Settlement one : batch) {
      settle(settling, List.of(one)).ifPresent(overruns::addAll);
    }
    return Optional.of(overruns);
  }
}
