package dev.tollgate.core.testkit;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.InMemoryLedgerState.Account;
import dev.tollgate.core.testkit.InMemoryLedgerState.Lease;
import dev.tollgate.core.testkit.InMemoryLedgerState.NodeEpoch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ledger store in plain Java, for simulations and as the reference for the one in PostgreSQL. For
 * one thread; its clock moves only when a test advances it.
 */
public final class InMemoryLedgerStore implements LedgerStore {
  /** How long a node counts as live after its last tick. */
  private static final long LIVE_MILLIS = 60_000;

  /** How long the answers to a recall are valid for the node that began it. */
  private static final long ASK_MILLIS = 3_000;

  /** How long a recall is sent to nodes that did not answer it. */
  private static final long RECALL_MILLIS = 3_600_000;

  private final InMemoryLedgerState state = new InMemoryLedgerState();
  private final Set<RequestId> poison = new HashSet<>();
  private final @Nullable Flaw flaw;
  private long millis;

  /** Fault of a ledger store, to show that tests detect it. */
  public enum Flaw {
    SUMS_REPEATED_ROWS,
    WINDOW_OF_THE_SETTLEMENT,
    FREES_WHAT_A_LOST_NODE_COMMITTED,
    KEEPS_WHAT_A_LOST_NODE_HELD,
    BEGINS_ANEW_AT_A_ROTATION
  }

  /** Creates a store whose clock shows {@code epochMillis}. */
  public InMemoryLedgerStore(long epochMillis) {
    this(epochMillis, null);
  }

  /** Creates a store with at most one fault. */
  public InMemoryLedgerStore(long epochMillis, @Nullable Flaw flaw) {
    this.millis = epochMillis;
    this.flaw = flaw;
  }

  /** Adds to an organization's balance, or subtracts from it. */
  public void fund(OrgId org, MicroUsd amount) {
    Account account = state.account(new Scope(ScopeKind.ORG, "org:" + org), org, null);
    state.funded.merge(org, amount.value(), Math::addExact);
    if (amount.value() < 0) {
      account.lowered -= amount.value();
      account.recall(millis);
    }
  }

  /** Sets or, with null, lifts an organization's monthly limit. */
  public void limitMonth(OrgId org, @Nullable MicroUsd limit) {
    Long before = state.monthLimits.put(org, micro(limit));
    recallIfLowered(ScopeKind.ORG_MONTH, org, NO_KEY, before, limit);
  }

  /** Sets or lifts a key's budget of a day. A key that was never named has no budgets. */
  public void limitDay(KeyId key, @Nullable MicroUsd limit) {
    Long before = state.dayBudgets.put(lineage(key), micro(limit));
    recallIfLowered(ScopeKind.KEY_DAY, NO_ORG, lineage(key), before, limit);
  }

  /** Sets or lifts a key's budget of a month. */
  public void limitMonth(KeyId key, @Nullable MicroUsd limit) {
    Long before = state.monthBudgets.put(lineage(key), micro(limit));
    recallIfLowered(ScopeKind.KEY_MONTH, NO_ORG, lineage(key), before, limit);
  }

  /** Replaces a key by another, which continues its budget windows. */
  public void rotate(KeyId old, KeyId made) {
    state.lineages.put(made, lineage(old));
  }

  /** Returns the first of the keys that replaced one another up to a key. */
  public KeyId lineage(KeyId key) {
    return state.lineages.getOrDefault(key, key);
  }

  /** Returns the payer of a charge. */
  public Payer payer(Settlement charge) {
    KeyId lineage = flaw == Flaw.BEGINS_ANEW_AT_A_ROTATION ? charge.key() : lineage(charge.key());
    return new Payer(charge.org(), charge.key(), lineage, charge.window());
  }

  public void advance(Duration time) {
    millis += time.toMillis();
  }

  public long millis() {
    return millis;
  }

  /** Makes a charge unacceptable: every batch with it is refused as a whole. */
  public void poison(RequestId request) {
    poison.add(request);
  }

  /** Returns the present sums, comparable with those of other stores. */
  public LedgerSums sums() {
    return state.sums();
  }

  /** Returns the present limit of a scope; empty if it has none. */
  public Optional<Long> limit(String scopeId) {
    return Optional.ofNullable(state.accounts.get(scopeId)).map(state::limit);
  }

  /** Returns the charge of a request. */
  public Optional<Settlement> charge(RequestId request) {
    return Optional.ofNullable(state.charges.get(request))
        .map(InMemoryLedgerState.Charge::settlement);
  }

  /** Returns every charge, in the order of settlement. */
  public List<Settlement> allCharges() {
    return state.charges.values().stream().map(InMemoryLedgerState.Charge::settlement).toList();
  }

  /** Returns the number of charged requests. */
  public int charges() {
    return state.charges.size();
  }

  /** Returns the violated invariants, one line for each violation. */
  public List<String> audit() {
    return state.audit();
  }

  @Override
  public LeaseHolder open(UUID node, UUID boot) {
    NodeEpoch before = state.nodeEpochs.get(node);
    long epoch = before == null ? 1 : before.epoch + 1;
    state.leases.stream().filter(lease -> lease.node.equals(node)).forEach(Lease::close);
    state.nodeEpochs.put(node, new NodeEpoch(epoch, boot, millis));
    return new LeaseHolder(node, epoch, boot);
  }

  @Override
  public void close(LeaseHolder holder) {
    state.openLeases(holder).forEach(Lease::close);
    if (isPresent(holder)) {
      state.nodeEpoch(holder).open = false;
    }
  }

  /** Stores a node's commitments; a report of an old epoch is ignored. */
  public boolean report(LeaseHolder holder, List<Commitment> commitments) {
    boolean isAccepted = isPresent(holder);
    if (isAccepted) {
      commitments.forEach(each -> state.report(holder, each));
    }
    return isAccepted;
  }

  /** Marks nodes that were unresponsive for a time as lost: what they had not committed is free. */
  public List<LeaseHolder> markLost(Duration unresponsiveFor) {
    boolean allTheyHave = flaw == Flaw.FREES_WHAT_A_LOST_NODE_COMMITTED;
    return state.markLost(millis - unresponsiveFor.toMillis(), allTheyHave);
  }

  /** Closes the leases of nodes that were unresponsive for a time. */
  public List<LeaseHolder> release(Duration unresponsiveFor) {
    return flaw == Flaw.KEEPS_WHAT_A_LOST_NODE_HELD
        ? List.of()
        : state.release(millis - unresponsiveFor.toMillis());
  }

  @Override
  public GrantAnswer grant(LeaseHolder holder, GrantRequest ask) {
    if (!isPresent(holder)) {
      return new GrantAnswer.Fenced();
    }
    Payer payer = ask.payer();
    // All leases are created, whatever the answer.
    List<Account> accounts = ask.items().stream().map(want -> account(payer, want)).toList();
    if (accounts.stream().anyMatch(account -> isStale(holder, account, ask))) {
      return new GrantAnswer.Stale();
    }
    for (GrantItem want : ask.items()) {
      MicroUsd held = want.knownBase();
      if (held != null) {
        state(state.lease(holder, account(payer, want)), held, ask.number());
      }
    }
    List<Shortage> shortages =
        ask.items().stream()
            .filter(want -> isShort(account(payer, want), want))
            .sorted(Comparator.comparing(GrantItem::kind))
            .map(want -> shortage(holder, account(payer, want), ask))
            .toList();
    if (!shortages.isEmpty()) {
      return new GrantAnswer.Refused(shortages);
    }
    return new GrantAnswer.Issued(
        ask.items().stream()
            .map(want -> give(holder, account(payer, want), want, ask.number()))
            .toList());
  }

  private boolean isStale(LeaseHolder holder, Account account, GrantRequest ask) {
    Lease lease = state.leaseOrNull(holder, account);
    return lease != null && lease.stated >= ask.number();
  }

  /** True if no call with a higher number arrived before. */
  private static boolean state(Lease lease, MicroUsd base, long number) {
    if (lease.called >= number) {
      return false;
    }
    lease.account.leased -= lease.state(base.value(), number);
    return true;
  }

  private Account account(Payer payer, GrantItem want) {
    return state.account(payer.scope(want.kind()), payer.org(), payer.lineage());
  }

  private boolean isShort(Account account, GrantItem want) {
    Long limit = state.limit(account);
    return limit != null && limit - account.used - account.leased < want.minimum().value();
  }

  private LeaseGrowth give(LeaseHolder holder, Account account, GrantItem want, long number) {
    Long limit = state.limit(account);
    long amount = want.desired().value();
    if (limit != null) {
      long share = (limit - account.used - account.leased) / (2 * liveNodes());
      amount = Math.min(amount, Math.max(share, want.minimum().value()));
    }
    Lease lease = state.lease(holder, account);
    if (!lease.open) {
      lease.reopen();
    }
    lease.granted += amount;
    lease.asked = 0;
    lease.called = Math.max(lease.called, number);
    account.leased += amount;
    account.grantedBelow(limit);
    return new LeaseGrowth(account.scope, new MicroUsd(amount));
  }

  private long liveNodes() {
    return Math.max(1, state.nodeEpochs.values().stream().filter(this::isLive).count());
  }

  /**
   * Recalls idle money from the other nodes if a request waits. A refusal is final when all of them
   * have answered a recall that began after the request arrived.
   */
  private Shortage shortage(LeaseHolder holder, Account account, GrantRequest ask) {
    return new Shortage(
        account.scope,
        new MicroUsd(state.limitOrZero(account)),
        new MicroUsd(account.used),
        new MicroUsd(account.leased),
        ask.awaited() && awaits(holder, account, ask));
  }

  private boolean awaits(LeaseHolder holder, Account account, GrantRequest ask) {
    List<Lease> others =
        state.leases.stream()
            .filter(lease -> lease.account == account && !lease.isOf(holder))
            .filter(lease -> lease.open && lease.idle() > 0 && isLive(lease))
            .toList();
    Lease own = state.leaseOrNull(holder, account);
    boolean underWay = own != null && own.asked > 0 && millis - own.askedAt < ASK_MILLIS;
    boolean ended = false;
    if (own != null && underWay) {
      long asked = own.asked;
      ended = others.stream().noneMatch(lease -> lease.answered < asked);
      if (ended) {
        own.asked = 0;
        own.answeredCall = own.askedCall;
      }
    }
    long answered = own == null ? 0 : own.answeredCall;
    if (ask.sinceCall() == 0 ? ended : answered >= ask.sinceCall()) {
      return false;
    }
    if (underWay && !ended) {
      return true;
    }
    if (others.isEmpty()) {
      return false;
    }
    ask(state.lease(holder, account), account, ask);
    return true;
  }

  private void ask(Lease own, Account account, GrantRequest ask) {
    // The requester need not answer its own recall, but must still answer earlier ones of others.
    own.answered = own.answered == account.recall ? account.recall + 1 : own.answered;
    account.recall(millis);
    own.asked = account.recall;
    own.askedAt = millis;
    own.askedCall = ask.number();
  }

  @Override
  public SettleAnswer settle(LeaseHolder holder, List<Settlement> batch)
      throws LedgerStoreException {
    if (batch.stream().map(Settlement::request).anyMatch(poison::contains)) {
      var cause = new IllegalArgumentException("a row of the batch is poison");
      throw new LedgerStoreException(LedgerStoreException.Kind.POISONED, "a row is refused", cause);
    }
    Map<Account, Long> charged = new TreeMap<>();
    Map<Account, Long> held = new TreeMap<>();
    for (Settlement settlement : batch) {
      List<Account> accounts = accounts(settlement);
      if (state.addCharge(settlement, accounts) || flaw == Flaw.SUMS_REPEATED_ROWS) {
        long cost = settlement.cost().value();
        for (Account account : accounts) {
          charged.merge(account, cost, Math::addExact);
          if ((settlement.scopeKinds() & account.scope.kind().bit()) != 0) {
            held.merge(account, cost, Math::addExact);
          }
        }
      }
    }
    charged.forEach(
        (account, cost) -> {
          long spent = spend(holder, account, held.getOrDefault(account, 0L));
          account.used += cost;
          account.beyond += cost - spent;
        });
    return new SettleAnswer(
        overruns(holder, batch.stream().flatMap(settlement -> accounts(settlement).stream())));
  }

  /** Returned each time a charge is sent, because the previous answer may have been lost. */
  private List<LeaseGrowth> overruns(LeaseHolder holder, Stream<Account> accounts) {
    return accounts
        .distinct()
        .sorted()
        .map(account -> state.leaseOrNull(holder, account))
        .filter(Objects::nonNull)
        .filter(lease -> lease.open && lease.overrun > 0)
        .map(lease -> new LeaseGrowth(lease.account.scope, new MicroUsd(lease.overrun)))
        .toList();
  }

  private List<Account> accounts(Settlement settlement) {
    Payer payer =
        flaw == Flaw.WINDOW_OF_THE_SETTLEMENT
            ? payer(settlement).in(Window.at(millis))
            : payer(settlement);
    List<Account> accounts = new ArrayList<>();
    for (ScopeKind kind : ScopeKind.values()) {
      accounts.add(state.account(payer.scope(kind), payer.org(), payer.lineage()));
    }
    return accounts;
  }

  /** Returns the part of a charge that the holder's lease covers; the lease grows by the rest. */
  private long spend(LeaseHolder holder, Account account, long cost) {
    Lease lease = state.leaseOrNull(holder, account);
    if (lease == null || !lease.open) {
      return 0;
    }
    long covered = Math.min(lease.idle(), cost);
    lease.spent += cost;
    lease.granted += cost - covered;
    lease.overrun += cost - covered;
    account.leased -= covered;
    return covered;
  }

  @Override
  public TickAnswer tick(LeaseHolder holder, long number, List<LeaseStatement> statements) {
    if (!isPresent(holder)) {
      return new TickAnswer.Fenced();
    }
    state.nodeEpoch(holder).heartbeat = millis;
    for (LeaseStatement statement : statements) {
      stated(state.lease(holder, account(statement)), statement, number);
    }
    List<Recall> recalls =
        state.leases.stream()
            .filter(lease -> lease.isOf(holder) && lease.open && lease.idle() > 0)
            .filter(lease -> lease.answered < lease.account.recall)
            .filter(lease -> millis - lease.account.recalledMillis < RECALL_MILLIS)
            .map(lease -> new Recall(lease.account.scope, lease.account.recall))
            .sorted(Comparator.comparing(Recall::scope))
            .toList();
    return new TickAnswer.Accepted(
        millis,
        recalls,
        overruns(holder, statements.stream().map(this::account)),
        closed(holder, statements));
  }

  private List<Scope> closed(LeaseHolder holder, List<LeaseStatement> statements) {
    return statements.stream()
        .map(this::account)
        .distinct()
        .sorted()
        .filter(account -> !state.lease(holder, account).open)
        .map(account -> account.scope)
        .toList();
  }

  private Account account(LeaseStatement statement) {
    Payer payer = statement.payer();
    return state.account(statement.scope(), payer.org(), payer.lineage());
  }

  private static void stated(Lease lease, LeaseStatement statement, long number) {
    if (state(lease, statement.base(), number)) {
      long recall = Math.min(statement.recall(), lease.account.recall);
      lease.answered = Math.max(lease.answered, recall);
      lease.open &= !(statement.last() && lease.idle() == 0);
    }
  }

  private boolean isPresent(LeaseHolder holder) {
    NodeEpoch nodeEpoch = state.nodeEpochs.get(holder.node());
    return nodeEpoch != null
        && nodeEpoch.open
        && !nodeEpoch.lost
        && nodeEpoch.epoch == holder.epoch()
        && nodeEpoch.boot.equals(holder.boot());
  }

  private boolean isLive(NodeEpoch nodeEpoch) {
    return nodeEpoch.open && !nodeEpoch.lost && millis - nodeEpoch.heartbeat < LIVE_MILLIS;
  }

  private boolean isLive(Lease lease) {
    NodeEpoch nodeEpoch = state.nodeEpochs.get(lease.node);
    return nodeEpoch != null && nodeEpoch.epoch == lease.epoch && isLive(nodeEpoch);
  }

  private static final OrgId NO_ORG = new OrgId(new UUID(0, 0));
  private static final KeyId NO_KEY = new KeyId("");

  private void recallIfLowered(
      ScopeKind kind, OrgId org, KeyId key, @Nullable Long before, @Nullable MicroUsd limit) {
    if (limit != null && (before == null || limit.value() < before)) {
      // Includes windows that are about to begin.
      Stream.of(millis, millis + 60_000)
          .map(time -> Scope.of(kind, org, key, Window.at(time)).id())
          .distinct()
          .map(state.accounts::get)
          .filter(Objects::nonNull)
          .forEach(account -> account.recall(millis));
    }
  }

  private static @Nullable Long micro(@Nullable MicroUsd amount) {
    return amount == null ? null : amount.value();
  }
}
