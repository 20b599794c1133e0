package dev.tollgate.core.testkit;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.BankBooks.Account;
import dev.tollgate.core.testkit.BankBooks.Lease;
import dev.tollgate.core.testkit.BankBooks.Life;
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
 * The shared books in plain Java, for simulations and as the reference that the books in PostgreSQL
 * are compared with. For one thread; its clock stands still until it is advanced.
 */
public final class InMemoryBank implements Bank {
  /** How long a node counts as living after its last tick. */
  private static final long LIVE_MILLIS = 60_000;

  /** How long a node that was refused may rely on the answers to the recall that it began. */
  private static final long ASK_MILLIS = 3_000;

  /** How long a recall is told to those who did not answer it. */
  private static final long RECALL_MILLIS = 3_600_000;

  private final BankBooks books = new BankBooks();
  private final Set<RequestId> poison = new HashSet<>();
  private final @Nullable Flaw flaw;
  private long millis;

  /** What books may do wrong, to show that it would be noticed. */
  public enum Flaw {
    SUMS_REPEATED_ROWS,
    WINDOW_OF_THE_SETTLEMENT,
    FREES_WHAT_A_LOST_NODE_COMMITTED,
    KEEPS_WHAT_A_LOST_NODE_HELD
  }

  /** Books whose clock shows {@code epochMillis}. */
  public InMemoryBank(long epochMillis) {
    this(epochMillis, null);
  }

  /** Books that do one thing wrong, or nothing. */
  public InMemoryBank(long epochMillis, @Nullable Flaw flaw) {
    this.millis = epochMillis;
    this.flaw = flaw;
  }

  /** Adds to an organization's balance, or takes from it. */
  public void fund(OrgId org, MicroUsd amount) {
    Account account = books.account(new Scope(ScopeKind.ORG, "org:" + org), org, null);
    books.funded.merge(org, amount.value(), Math::addExact);
    if (amount.value() < 0) {
      account.lowered -= amount.value();
      account.recall(millis);
    }
  }

  /** Sets or, with null, lifts an organization's monthly limit. */
  public void limitMonth(OrgId org, @Nullable MicroUsd limit) {
    Long before = books.monthLimits.put(org, micro(limit));
    recallIfLowered(ScopeKind.ORG_MONTH, org, NO_KEY, before, limit);
  }

  /** Sets or lifts a key's budget of a day. A key that was never named has no budgets. */
  public void limitDay(KeyId key, @Nullable MicroUsd limit) {
    Long before = books.dayBudgets.put(key, micro(limit));
    recallIfLowered(ScopeKind.KEY_DAY, NO_ORG, key, before, limit);
  }

  /** Sets or lifts a key's budget of a month. */
  public void limitMonth(KeyId key, @Nullable MicroUsd limit) {
    Long before = books.monthBudgets.put(key, micro(limit));
    recallIfLowered(ScopeKind.KEY_MONTH, NO_ORG, key, before, limit);
  }

  public void advance(Duration time) {
    millis += time.toMillis();
  }

  public long millis() {
    return millis;
  }

  /** A charge that cannot be booked: every batch with it is refused whole. */
  public void poison(RequestId request) {
    poison.add(request);
  }

  /** The sums as they stand, comparable with those of other books. */
  public BankSums sums() {
    return books.sums();
  }

  /** The present limit of a scope, if it has one. */
  public Optional<Long> limit(String scopeId) {
    return Optional.ofNullable(books.accounts.get(scopeId)).map(books::limit);
  }

  /** What was booked for a request. */
  public Optional<Settlement> charge(RequestId request) {
    return Optional.ofNullable(books.charges.get(request)).map(BankBooks.Charge::settlement);
  }

  /** Every charge, in the order of booking. */
  public List<Settlement> allCharges() {
    return books.charges.values().stream().map(BankBooks.Charge::settlement).toList();
  }

  /** How many requests were charged. */
  public int charges() {
    return books.charges.size();
  }

  /** The invariants that do not hold, a line for each violation. */
  public List<String> audit() {
    return books.audit();
  }

  @Override
  public Holder open(UUID node, UUID boot) {
    Life before = books.lives.get(node);
    long epoch = before == null ? 1 : before.epoch + 1;
    books.leases.stream().filter(lease -> lease.node.equals(node)).forEach(Lease::close);
    books.lives.put(node, new Life(epoch, boot, millis));
    return new Holder(node, epoch, boot);
  }

  @Override
  public void close(Holder holder) {
    books.openLeases(holder).forEach(Lease::close);
    if (isPresent(holder)) {
      books.life(holder).open = false;
    }
  }

  /** A node says what it has committed of its leases; who is not its present life is not heard. */
  public boolean report(Holder holder, List<Commitment> commitments) {
    boolean isHeard = isPresent(holder);
    if (isHeard) {
      commitments.forEach(each -> books.report(holder, each));
    }
    return isHeard;
  }

  /** Gives up nodes that were silent for so long: what they had not committed is free. */
  public List<Holder> lose(Duration silence) {
    boolean allTheyHave = flaw == Flaw.FREES_WHAT_A_LOST_NODE_COMMITTED;
    return books.lose(millis - silence.toMillis(), allTheyHave);
  }

  /** Closes the leases of nodes that were silent for so long. */
  public List<Holder> release(Duration silence) {
    return flaw == Flaw.KEEPS_WHAT_A_LOST_NODE_HELD
        ? List.of()
        : books.release(millis - silence.toMillis());
  }

  @Override
  public GrantAnswer grant(Holder holder, Ask ask) {
    if (!isPresent(holder)) {
      return new GrantAnswer.Fenced();
    }
    Payer payer = ask.payer();
    // All of them come to be, whatever the answer.
    List<Account> accounts = ask.wants().stream().map(want -> account(payer, want)).toList();
    if (accounts.stream().anyMatch(account -> isStale(holder, account, ask))) {
      return new GrantAnswer.Stale();
    }
    for (Want want : ask.wants()) {
      MicroUsd held = want.held();
      if (held != null) {
        state(books.lease(holder, account(payer, want)), held, ask.number());
      }
    }
    List<Shortage> shortages =
        ask.wants().stream()
            .filter(want -> isShort(account(payer, want), want))
            .sorted(Comparator.comparing(Want::kind))
            .map(want -> shortage(holder, account(payer, want), ask))
            .toList();
    if (!shortages.isEmpty()) {
      return new GrantAnswer.Refused(shortages);
    }
    return new GrantAnswer.Given(
        ask.wants().stream()
            .map(want -> give(holder, account(payer, want), want, ask.number()))
            .toList());
  }

  private boolean isStale(Holder holder, Account account, Ask ask) {
    Lease lease = books.leaseOrNull(holder, account);
    return lease != null && lease.stated >= ask.number();
  }

  /** Whether nothing newer had been said or asked before. */
  private static boolean state(Lease lease, MicroUsd base, long number) {
    if (lease.called >= number) {
      return false;
    }
    lease.account.leased -= lease.state(base.value(), number);
    return true;
  }

  private Account account(Payer payer, Want want) {
    return books.account(payer.scope(want.kind()), payer.org(), payer.key());
  }

  private boolean isShort(Account account, Want want) {
    Long limit = books.limit(account);
    return limit != null && limit - account.used - account.leased < want.least().value();
  }

  private Granted give(Holder holder, Account account, Want want, long number) {
    Long limit = books.limit(account);
    long amount = want.most().value();
    if (limit != null) {
      long share = (limit - account.used - account.leased) / (2 * liveNodes());
      amount = Math.min(amount, Math.max(share, want.least().value()));
    }
    Lease lease = books.lease(holder, account);
    if (!lease.open) {
      lease.reopen();
    }
    lease.granted += amount;
    lease.asked = 0;
    lease.called = Math.max(lease.called, number);
    account.leased += amount;
    account.grantedBelow(limit);
    return new Granted(account.scope, new MicroUsd(amount));
  }

  private long liveNodes() {
    return Math.max(1, books.lives.values().stream().filter(this::isLive).count());
  }

  /**
   * Where a request waits, the other nodes are asked for what they can spare, and it is final when
   * all of them answered to a call since the request came.
   */
  private Shortage shortage(Holder holder, Account account, Ask ask) {
    return new Shortage(
        account.scope,
        new MicroUsd(books.limitOrZero(account)),
        new MicroUsd(account.used),
        new MicroUsd(account.leased),
        ask.awaited() && awaits(holder, account, ask));
  }

  private boolean awaits(Holder holder, Account account, Ask ask) {
    List<Lease> others =
        books.leases.stream()
            .filter(lease -> lease.account == account && !lease.isOf(holder))
            .filter(lease -> lease.open && lease.idle() > 0 && isLive(lease))
            .toList();
    Lease own = books.leaseOrNull(holder, account);
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
    if (ask.since() == 0 ? ended : answered >= ask.since()) {
      return false;
    }
    if (underWay && !ended) {
      return true;
    }
    if (others.isEmpty()) {
      return false;
    }
    ask(books.lease(holder, account), account, ask);
    return true;
  }

  private void ask(Lease own, Account account, Ask ask) {
    // Who asks need not answer itself; what others had asked it before, it still must.
    own.answered = own.answered == account.recall ? account.recall + 1 : own.answered;
    account.recall(millis);
    own.asked = account.recall;
    own.askedAt = millis;
    own.askedCall = ask.number();
  }

  @Override
  public Booked settle(Holder holder, List<Settlement> batch) throws BankException {
    if (batch.stream().map(Settlement::request).anyMatch(poison::contains)) {
      var cause = new IllegalArgumentException("a row of the batch is poison");
      throw new BankException(BankException.Kind.POISONED, "a row is refused", cause);
    }
    Map<Account, Long> charged = new TreeMap<>();
    Map<Account, Long> held = new TreeMap<>();
    for (Settlement settlement : batch) {
      List<Account> accounts = accounts(settlement);
      if (books.book(settlement, accounts) || flaw == Flaw.SUMS_REPEATED_ROWS) {
        long cost = settlement.cost().value();
        for (Account account : accounts) {
          charged.merge(account, cost, Math::addExact);
          if ((settlement.held() & account.scope.kind().bit()) != 0) {
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
    return new Booked(
        overruns(holder, batch.stream().flatMap(settlement -> accounts(settlement).stream())));
  }

  /** Said as often as a charge is sent: the answer before may have been lost. */
  private List<Granted> overruns(Holder holder, Stream<Account> accounts) {
    return accounts
        .distinct()
        .sorted()
        .map(account -> books.leaseOrNull(holder, account))
        .filter(Objects::nonNull)
        .filter(lease -> lease.open && lease.overrun > 0)
        .map(lease -> new Granted(lease.account.scope, new MicroUsd(lease.overrun)))
        .toList();
  }

  private List<Account> accounts(Settlement settlement) {
    Payer payer =
        flaw == Flaw.WINDOW_OF_THE_SETTLEMENT
            ? new Payer(settlement.org(), settlement.key(), Window.at(millis))
            : settlement.payer();
    List<Account> accounts = new ArrayList<>();
    for (ScopeKind kind : ScopeKind.values()) {
      accounts.add(books.account(payer.scope(kind), payer.org(), payer.key()));
    }
    return accounts;
  }

  /** How much of it the holder's lease had; what it had not, it grows by. */
  private long spend(Holder holder, Account account, long cost) {
    Lease lease = books.leaseOrNull(holder, account);
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
  public TickAnswer tick(Holder holder, long number, List<Statement> statements) {
    if (!isPresent(holder)) {
      return new TickAnswer.Fenced();
    }
    books.life(holder).heartbeat = millis;
    for (Statement statement : statements) {
      stated(books.lease(holder, account(statement)), statement, number);
    }
    List<Recall> recalls =
        books.leases.stream()
            .filter(lease -> lease.isOf(holder) && lease.open && lease.idle() > 0)
            .filter(lease -> lease.answered < lease.account.recall)
            .filter(lease -> millis - lease.account.recalledMillis < RECALL_MILLIS)
            .map(lease -> new Recall(lease.account.scope, lease.account.recall))
            .sorted(Comparator.comparing(Recall::scope))
            .toList();
    return new TickAnswer.Alive(
        millis,
        recalls,
        overruns(holder, statements.stream().map(this::account)),
        closed(holder, statements));
  }

  private List<Scope> closed(Holder holder, List<Statement> statements) {
    return statements.stream()
        .map(this::account)
        .distinct()
        .sorted()
        .filter(account -> !books.lease(holder, account).open)
        .map(account -> account.scope)
        .toList();
  }

  private Account account(Statement statement) {
    Payer payer = statement.payer();
    return books.account(statement.scope(), payer.org(), payer.key());
  }

  private static void stated(Lease lease, Statement statement, long number) {
    if (state(lease, statement.base(), number)) {
      long recall = Math.min(statement.recall(), lease.account.recall);
      lease.answered = Math.max(lease.answered, recall);
      lease.open &= !(statement.last() && lease.idle() == 0);
    }
  }

  private boolean isPresent(Holder holder) {
    Life life = books.lives.get(holder.node());
    return life != null
        && life.open
        && !life.lost
        && life.epoch == holder.epoch()
        && life.boot.equals(holder.boot());
  }

  private boolean isLive(Life life) {
    return life.open && !life.lost && millis - life.heartbeat < LIVE_MILLIS;
  }

  private boolean isLive(Lease lease) {
    Life life = books.lives.get(lease.node);
    return life != null && life.epoch == lease.epoch && isLive(life);
  }

  private static final OrgId NO_ORG = new OrgId(new UUID(0, 0));
  private static final KeyId NO_KEY = new KeyId("");

  private void recallIfLowered(
      ScopeKind kind, OrgId org, KeyId key, @Nullable Long before, @Nullable MicroUsd limit) {
    if (limit != null && (before == null || limit.value() < before)) {
      // Also of a window that is about to begin.
      Stream.of(millis, millis + 60_000)
          .map(time -> Scope.of(kind, org, key, Window.at(time)).id())
          .distinct()
          .map(books.accounts::get)
          .filter(Objects::nonNull)
          .forEach(account -> account.recall(millis));
    }
  }

  private static @Nullable Long micro(@Nullable MicroUsd amount) {
    return amount == null ? null : amount.value();
  }
}
