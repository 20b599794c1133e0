package dev.tollgate.core.testkit;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** State of an {@link InMemoryLedgerStore}, with an audit of its consistency. */
final class InMemoryLedgerState {
  final Map<OrgId, Long> funded = new HashMap<>();
  final Map<OrgId, Long> monthLimits = new HashMap<>();

  /** The first key of each lineage, by the keys that replaced it. */
  final Map<KeyId, KeyId> lineages = new HashMap<>();

  final Map<KeyId, Long> dayBudgets = new HashMap<>();
  final Map<KeyId, Long> monthBudgets = new HashMap<>();
  final TreeMap<String, Account> accounts = new TreeMap<>();
  final Map<UUID, NodeEpoch> nodeEpochs = new TreeMap<>();
  final List<Lease> leases = new ArrayList<>();
  final Map<RequestId, Charge> charges = new LinkedHashMap<>();
  private final Map<Reported, Long> reports = new HashMap<>();

  /** Key of a reported commitment. */
  private record Reported(LeaseHolder holder, Scope scope) {}

  /** The present epoch of a node. */
  static final class NodeEpoch {
    final long epoch;
    final UUID boot;
    long heartbeat;
    boolean open = true;

    /** The node was unresponsive for too long: it may not spend, and may have charges. */
    boolean lost;

    NodeEpoch(long epoch, UUID boot, long heartbeat) {
      this.epoch = epoch;
      this.boot = boot;
      this.heartbeat = heartbeat;
    }
  }

  /** The row of a scope. */
  static final class Account implements Comparable<Account> {
    final Scope scope;
    final OrgId org;
    final @Nullable KeyId key;
    long used;
    long leased;

    /** Amount charged without money held for it: overruns, late charges, scopes without a limit. */
    long beyond;

    /** Amount taken from a balance after it was paid in. */
    long lowered;

    long recall;

    long recalledMillis;

    /** The highest limit under which money was granted; null: none. */
    private @Nullable Long grantedBelow = 0L;

    Account(Scope scope, OrgId org, @Nullable KeyId key) {
      this.scope = scope;
      this.org = org;
      this.key = key;
    }

    void recall(long nowMillis) {
      recall++;
      recalledMillis = nowMillis;
    }

    void grantedBelow(@Nullable Long limit) {
      Long before = grantedBelow;
      grantedBelow = before == null || limit == null ? null : Long.valueOf(Math.max(before, limit));
    }

    @Override
    public int compareTo(Account other) {
      return scope.compareTo(other.scope);
    }
  }

  /** Lease of one epoch of a node from a scope. */
  static final class Lease {
    final UUID node;
    final long epoch;
    final Account account;
    long granted;
    long spent;
    boolean open = true;

    /** Growth of the lease for charges above what was granted. */
    long overrun;

    /** The highest number of a call that changed the lease, and of one that stated its base. */
    long called;

    long stated;

    /** The last recall that the holder answered. */
    long answered;

    /** The recall that the holder began after a refusal; 0: none. */
    long asked;

    long askedAt;

    /** The number of the call that began that recall. */
    long askedCall;

    /** The number of the call that began the last recall that all others answered. */
    long answeredCall;

    Lease(LeaseHolder holder, Account account) {
      this.node = holder.node();
      this.epoch = holder.epoch();
      this.account = account;
      this.answered = account.recall;
    }

    long idle() {
      return granted - spent;
    }

    /** Shrinks the lease to its holder's commitment; returns the amount that is free again. */
    long shrink(long committed) {
      long before = granted;
      granted = Math.min(granted, Math.max(committed, Math.max(spent, overrun)));
      return before - granted;
    }

    void close() {
      if (open) {
        account.leased -= idle();
        open = false;
      }
    }

    /** Lowers the base; returns the amount that is free again. */
    long state(long base, long number) {
      long before = granted;
      long lowered = Math.max(0, Math.min(base, granted - overrun));
      granted = Math.max(lowered + overrun, spent);
      overrun = granted - lowered;
      called = number;
      stated = number;
      return before - granted;
    }

    /** Begins a new lease after the holder's last statement of the old one. */
    void reopen() {
      granted = 0;
      spent = 0;
      overrun = 0;
      open = true;
    }

    LedgerSums.LeaseSums sums() {
      return new LedgerSums.LeaseSums(granted, spent, overrun, open, answered, called, stated);
    }

    boolean isOf(LeaseHolder holder) {
      return node.equals(holder.node()) && epoch == holder.epoch();
    }
  }

  /** A settled charge with its scopes. */
  record Charge(Settlement settlement, List<Account> accounts) {}

  NodeEpoch nodeEpoch(LeaseHolder holder) {
    return Objects.requireNonNull(nodeEpochs.get(holder.node()), "a node that was never opened");
  }

  /** Accepts a commitment also for a lease that does not exist yet. */
  void report(LeaseHolder holder, Commitment committed) {
    reports.put(new Reported(holder, committed.scope()), committed.amount().value());
  }

  /** Marks nodes without a heartbeat since a time as lost; they may not spend any more. */
  List<LeaseHolder> markLost(long beforeMillis, boolean allTheyHave) {
    List<LeaseHolder> lost = new ArrayList<>();
    nodeEpochs.forEach(
        (node, nodeEpoch) -> {
          if (nodeEpoch.open && !nodeEpoch.lost && nodeEpoch.heartbeat < beforeMillis) {
            nodeEpoch.lost = true;
            LeaseHolder holder = new LeaseHolder(node, nodeEpoch.epoch, nodeEpoch.boot);
            for (Lease lease : openLeases(holder)) {
              Long committed = reports.get(new Reported(holder, lease.account.scope));
              if (committed != null) { // a lease without a report is kept
                lease.account.leased -= lease.shrink(allTheyHave ? 0 : committed);
              }
            }
            lost.add(holder);
          }
        });
    return lost;
  }

  /** Closes the leases of nodes without a heartbeat since a time. */
  List<LeaseHolder> release(long beforeMillis) {
    List<LeaseHolder> released = new ArrayList<>();
    nodeEpochs.forEach(
        (node, nodeEpoch) -> {
          if (nodeEpoch.open && nodeEpoch.heartbeat < beforeMillis) {
            nodeEpoch.open = false;
            LeaseHolder holder = new LeaseHolder(node, nodeEpoch.epoch, nodeEpoch.boot);
            openLeases(holder).forEach(Lease::close);
            released.add(holder);
          }
        });
    return released;
  }

  List<Lease> openLeases(LeaseHolder holder) {
    return leases.stream().filter(lease -> lease.open && lease.isOf(holder)).toList();
  }

  Account account(Scope scope, OrgId org, @Nullable KeyId key) {
    return accounts.computeIfAbsent(scope.id(), id -> new Account(scope, org, key));
  }

  @Nullable Lease leaseOrNull(LeaseHolder holder, Account account) {
    for (Lease lease : leases) {
      if (lease.account == account && lease.isOf(holder)) {
        return lease;
      }
    }
    return null;
  }

  Lease lease(LeaseHolder holder, Account account) {
    Lease there = leaseOrNull(holder, account);
    if (there == null) {
      there = new Lease(holder, account);
      leases.add(there);
    }
    return there;
  }

  /** Settles a charge; false if it was settled before. */
  boolean addCharge(Settlement settlement, List<Account> to) {
    return charges.putIfAbsent(settlement.request(), new Charge(settlement, to)) == null;
  }

  @Nullable Long limit(Account account) {
    return switch (account.scope.kind()) {
      case ORG -> funded.getOrDefault(account.org, 0L);
      case ORG_MONTH -> monthLimits.get(account.org);
      case KEY_DAY -> account.key == null ? null : dayBudgets.get(account.key);
      case KEY_MONTH -> account.key == null ? null : monthBudgets.get(account.key);
    };
  }

  long limitOrZero(Account account) {
    Long limit = limit(account);
    return limit == null ? 0 : limit;
  }

  LedgerSums sums() {
    TreeMap<String, LedgerSums.ScopeSums> scopes = new TreeMap<>();
    accounts.forEach(
        (id, a) -> scopes.put(id, new LedgerSums.ScopeSums(a.used, a.leased, a.beyond, a.recall)));
    TreeMap<String, LedgerSums.LeaseSums> its = new TreeMap<>();
    for (Lease lease : leases) {
      its.put(
          "node:%s:%d %s".formatted(lease.node, lease.epoch, lease.account.scope), lease.sums());
    }
    return new LedgerSums(scopes, its);
  }

  List<String> audit() {
    List<String> violations = new ArrayList<>();
    Map<Account, Long> charged = new HashMap<>();
    for (Charge charge : charges.values()) {
      long cost = charge.settlement().cost().value();
      charge.accounts().forEach(account -> charged.merge(account, cost, Math::addExact));
    }
    Map<Account, Long> leased = new HashMap<>();
    for (Lease lease : leases) {
      if (lease.open) {
        leased.merge(lease.account, lease.idle(), Math::addExact);
      }
      audit(lease, violations);
    }
    for (Account account : accounts.values()) {
      expect(2, account, "used", account.used, charged.getOrDefault(account, 0L), violations);
      expect(3, account, "leased", account.leased, leased.getOrDefault(account, 0L), violations);
      auditLimit(account, violations);
    }
    auditWindows(violations);
    return violations;
  }

  private static void expect(
      int invariant, Account account, String what, long is, long should, List<String> violations) {
    if (is != should) {
      violations.add(
          "%d %s: %s is %d and should be %d".formatted(invariant, account.scope, what, is, should));
    }
  }

  /** Above the limit there may be only charges without money held for them. */
  private void auditLimit(Account account, List<String> violations) {
    Long highest =
        account.scope.kind() == ScopeKind.ORG
            ? Long.valueOf(limitOrZero(account) + account.lowered)
            : account.grantedBelow;
    long held = account.used + account.leased - account.beyond;
    if (highest != null && held > highest) {
      violations.add("4 %s: %d granted above %d".formatted(account.scope, held, highest));
    }
  }

  private void audit(Lease lease, List<String> violations) {
    if (lease.spent < 0 || lease.spent > lease.granted || lease.overrun > lease.granted) {
      violations.add(
          "5 %s of %s: spent %d of %d"
              .formatted(lease.account.scope, lease.node, lease.spent, lease.granted));
    }
    NodeEpoch nodeEpoch = nodeEpochs.get(lease.node);
    if (lease.open && (nodeEpoch == null || !nodeEpoch.open || nodeEpoch.epoch != lease.epoch)) {
      violations.add(
          "8 %s of %s: open in epoch %d, which is over"
              .formatted(lease.account.scope, lease.node, lease.epoch));
    }
  }

  private void auditWindows(List<String> violations) {
    Map<String, Long> ofDays = new TreeMap<>();
    for (Account account : accounts.values()) {
      if (account.scope.kind() == ScopeKind.KEY_DAY) {
        String id = account.scope.id();
        String month = "keym" + id.substring("keyd".length(), id.length() - "-20".length());
        ofDays.merge(month, account.used, Math::addExact);
      }
    }
    for (Account account : accounts.values()) {
      if (account.scope.kind() == ScopeKind.KEY_MONTH) {
        long days = ofDays.getOrDefault(account.scope.id(), 0L);
        expect(9, account, "used", account.used, days, violations);
      }
    }
  }
}
