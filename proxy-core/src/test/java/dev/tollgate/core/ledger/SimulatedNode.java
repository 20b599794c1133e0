package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Leasing.GrantCall;
import dev.tollgate.core.ledger.Leasing.TickCall;
import dev.tollgate.core.ledger.Settlement.How;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.testkit.InMemoryBank;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One node of a simulation: its process may die at any moment, its disk remembers. */
final class SimulatedNode {
  private static final byte[] NO_ROW = {};

  private final UUID id;
  private final World world;
  private final LedgerRules rules;
  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final List<Open> open = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private final List<Step> zombies = new ArrayList<>();
  private SimulatedJournal journal = new SimulatedJournal();
  private NodeLedger ledger;
  private Leasing leasing;
  private Holder holder;
  private int grants;
  private int givenBack;

  /** What all nodes of a simulation share, and what the world outside knows. */
  static final class World {
    final InMemoryBank bank;
    final Map<RequestId, Long> acknowledged = new HashMap<>();
    final Map<RequestId, Long> decided = new HashMap<>();
    final Map<RequestId, Long> progress = new HashMap<>();
    final Set<RequestId> released = new HashSet<>();
    final Map<RequestId, LocalDate> admitted = new HashMap<>();
    final List<Ledger.Answer.Refused> refused = new ArrayList<>();
    final Map<RequestId, Settlement> quarantined = new HashMap<>();
    private final @Nullable Mutant mutant;
    long nanos;
    int served;
    boolean hasPoison;

    World(InMemoryBank bank) {
      this(bank, null);
    }

    World(InMemoryBank bank, @Nullable Mutant mutant) {
      this.bank = bank;
      this.mutant = mutant;
    }

    boolean is(Mutant other) {
      return mutant == other;
    }

    Optional<Settlement> aside(RequestId request) {
      return Optional.ofNullable(quarantined.get(request));
    }

    void pass(long millis) {
      nanos += millis * 1_000_000;
      bank.advance(java.time.Duration.ofMillis(millis));
    }
  }

  /** A call to the books. */
  private interface Step {
    void run() throws BankException;
  }

  /** A request that runs. */
  private record Open(
      RequestId request, Reservation reservation, long most, List<Account> accounts) {}

  SimulatedNode(UUID id, World world) {
    this(id, world, LedgerRules.DEFAULT);
  }

  SimulatedNode(UUID id, World world, LedgerRules rules) {
    this.id = id;
    this.world = world;
    this.rules = rules;
    begin();
  }

  private void begin() {
    holder = world.bank.open(id, UUID.randomUUID());
    journal = new SimulatedJournal();
    if (world.is(Mutant.ACKNOWLEDGES_BEFORE_THE_SYNC)) {
      journal.acknowledgeUnsynced();
    }
    ledger = new NodeLedger(journal, rules, () -> world.nanos, () -> {});
    leasing = new Leasing(ledger);
    leasing.begin(world.nanos);
  }

  void sync() {
    journal.sync();
  }

  int grants() {
    return grants;
  }

  int givenBack() {
    return givenBack;
  }

  NodeLedger ledger() {
    return ledger;
  }

  Leasing leasing() {
    return leasing;
  }

  Holder holder() {
    return holder;
  }

  /** What every lease of this life must add up to while no answer is missing. */
  void requireBalanced() {
    for (Account account : ledger.accounts()) {
      long reserved =
          open.stream().filter(one -> one.accounts().contains(account)).mapToLong(Open::most).sum();
      assertThat(account.reserved()).as("%s", account.scope()).isEqualTo(reserved);
    }
  }

  // Requests

  void ask(ApiKey key, long most) {
    ask(key, most, world.bank.millis());
  }

  /** Of a request whose head came at {@code millis}, however long its body took. */
  void ask(ApiKey key, long most, long millis) {
    RequestId request = RequestId.at(millis);
    world.admitted.put(request, LocalDate.ofEpochDay(millis / 86_400_000));
    ledger.reserve(
        request,
        key,
        new MicroUsd(most),
        loop::add,
        answer -> answered(request, key, most, answer));
  }

  private void answered(RequestId request, ApiKey key, long most, Ledger.Answer answer) {
    switch (answer) {
      case Ledger.Answer.Reserved reserved -> {
        world.served++;
        reserved.reservation().begin();
        open.add(new Open(request, reserved.reservation(), most, accounts(request, key)));
      }
      case Ledger.Answer.Refused refused -> world.refused.add(refused);
    }
  }

  private List<Account> accounts(RequestId request, ApiKey key) {
    Payer payer = Payer.of(key.org().id(), key.id(), request);
    return ledger.accounts().stream()
        .filter(account -> account.scope().equals(payer.scope(account.scope().kind())))
        .filter(account -> (Purse.limited(key) & account.scope().kind().bit()) != 0)
        .toList();
  }

  /** A running request ends; at what cost is decided by {@code random}. */
  void endOne(Random random, boolean overruns) {
    if (open.isEmpty()) {
      return;
    }
    Open one = open.remove(random.nextInt(open.size()));
    if (random.nextInt(4) == 0) {
      world.released.add(one.request());
      one.reservation().release();
      return;
    }
    if (random.nextInt(3) == 0) {
      world.progress.put(one.request(), 1L);
      one.reservation().progress(new MicroUsd(1), Tokens.NONE);
    }
    if (world.hasPoison && random.nextInt(50) == 0) {
      world.bank.poison(one.request());
    }
    boolean dear = overruns && random.nextInt(10) == 0;
    settle(one, 1 + random.nextLong(dear ? one.most() * 2 : one.most()));
  }

  /** The running request that began first ends at this cost. */
  void endOneAt(long cost) {
    settle(open.removeFirst(), cost);
  }

  int running() {
    return open.size();
  }

  UUID id() {
    return id;
  }

  /** Every running request ends and costs all that was reserved. */
  void endAllAtTheirMost() {
    open.forEach(one -> settle(one, one.most()));
    open.clear();
  }

  private void settle(Open one, long cost) {
    world.decided.put(one.request(), cost);
    one.reservation()
        .settle(
            new MicroUsd(cost),
            Tokens.NONE,
            How.COMPLETED,
            NO_ROW,
            () -> world.acknowledged.put(one.request(), cost));
  }

  void runLoop() {
    while (!loop.isEmpty()) {
      loop.poll().run();
    }
  }

  // Calls to the bank, each of which may fail before or after it was booked

  /** What may happen to a call. */
  enum Fate {
    FINE,
    LATE,
    LOST,
    ANSWER_LOST,
    /** Given up by the node, and booked at any time after that. */
    GIVEN_UP;

    static Fate any(Random random) {
      int dice = random.nextInt(20);
      return switch (dice) {
        case 0 -> LOST;
        case 1 -> ANSWER_LOST;
        case 2 -> GIVEN_UP;
        case 3, 4, 5 -> LATE;
        default -> FINE;
      };
    }
  }

  boolean lease(Fate fate) {
    List<GrantCall> due = leasing.dueGrants(world.nanos);
    due.forEach(call -> grant(call, fate));
    return !due.isEmpty();
  }

  private void grant(GrantCall call, Fate fate) {
    grants++;
    Leasing then = leasing;
    Holder asking = holder;
    if (fate == Fate.LOST || fate == Fate.GIVEN_UP) {
      grantFailed(then, call);
      zombie(fate, () -> world.bank.grant(asking, call.ask()));
      return;
    }
    Bank.GrantAnswer answer = world.bank.grant(asking, call.ask());
    switch (fate) {
      case FINE -> then.granted(call, answer, world.nanos);
      case LATE -> late.add(() -> then.granted(call, answer, world.nanos));
      case ANSWER_LOST -> grantFailed(then, call);
      case LOST, GIVEN_UP -> throw new AssertionError();
    }
  }

  private void grantFailed(Leasing then, GrantCall call) {
    if (world.is(Mutant.SAYS_NOTHING_AFTER_A_LOST_ANSWER)) {
      then.granted(call, new Bank.GrantAnswer.Stale(), world.nanos);
    } else {
      then.grantFailed(call, world.nanos);
    }
  }

  private void zombie(Fate fate, Step call) {
    if (fate == Fate.GIVEN_UP) {
      zombies.add(call);
    }
  }

  /** One of the calls that the node gave up reaches the books after all. */
  void bookOneGivenUp(Random random) throws BankException {
    if (!zombies.isEmpty()) {
      zombies.remove(random.nextInt(zombies.size())).run();
    }
  }

  void tick(Fate fate) {
    Optional<TickCall> due = leasing.nextTick(world.nanos);
    if (due.isEmpty()) {
      return;
    }
    TickCall call = due.get();
    givenBack += call.statements().size();
    Leasing then = leasing;
    Holder living = holder;
    if (fate == Fate.LOST || fate == Fate.GIVEN_UP) {
      tickFailed(then, call);
      zombie(fate, () -> world.bank.tick(living, call.number(), call.statements()));
      return;
    }
    Bank.TickAnswer answer = world.bank.tick(living, call.number(), call.statements());
    switch (fate) {
      case FINE -> then.ticked(call, answer, world.nanos);
      case LATE -> late.add(() -> then.ticked(call, answer, world.nanos));
      case ANSWER_LOST -> tickFailed(then, call);
      case LOST, GIVEN_UP -> throw new AssertionError();
    }
  }

  private void tickFailed(Leasing then, TickCall call) {
    if (world.is(Mutant.SAYS_NOTHING_AFTER_A_LOST_ANSWER)) {
      long millis = world.bank.millis();
      then.ticked(
          call, new Bank.TickAnswer.Alive(millis, List.of(), List.of(), List.of()), world.nanos);
    } else {
      then.tickFailed(call, world.nanos);
    }
  }

  void deliverLate() {
    List<Runnable> all = List.copyOf(late);
    late.clear();
    all.forEach(Runnable::run);
  }

  void flush(int max, Fate fate) throws BankException {
    List<Settlement> batch = journal.unbooked(max);
    if (batch.isEmpty() || fate == Fate.LOST) {
      return;
    }
    Holder settling = holder;
    if (fate == Fate.GIVEN_UP) {
      zombies.add(() -> book(settling, batch));
      return;
    }
    Optional<List<Granted>> booked = book(settling, batch);
    if (fate == Fate.ANSWER_LOST || booked.isEmpty()) {
      return;
    }
    List<Granted> overruns = booked.get();
    NodeLedger then = ledger;
    journal.booked(batch.size());
    if (fate == Fate.LATE) {
      late.add(() -> then.booked(overruns));
    } else {
      then.booked(overruns);
    }
  }

  /** Books a batch; where one of it cannot be booked, one by one, and puts that one aside. */
  private Optional<List<Granted>> book(Holder settling, List<Settlement> batch)
      throws BankException {
    try {
      return Optional.of(world.bank.settle(settling, batch).overruns());
    } catch (BankException poisoned) {
      if (world.is(Mutant.STOPS_AT_A_POISON_ROW)) {
        return Optional.empty();
      }
      if (batch.size() == 1) {
        world.quarantined.put(batch.getFirst().request(), batch.getFirst());
        return Optional.of(List.of());
      }
    }
    List<Granted> overruns = new ArrayList<>();
    for (Settlement one : batch) {
      book(settling, List.of(one)).ifPresent(overruns::addAll);
    }
    return Optional.of(overruns);
  }

  // Death

  /** The process dies; the next one reads the disk, settles what it owes, and begins anew. */
  void crash(Random random) throws BankException {
    open.clear();
    loop.clear();
    late.clear();
    List<JournalRecord> found = journal.afterCrash(random);
    List<Settlement> owed = new ArrayList<>();
    Recovery recovery = new Recovery();
    found.forEach(record -> recovery.accept(record).ifPresent(owed::add));
    owed.addAll(recovery.crashed());
    Holder dead = holder;
    if (world.is(Mutant.RESENDS_NOTHING_AFTER_A_CRASH)) {
      begin();
    } else if (world.is(Mutant.CLOSES_LEASES_BEFORE_RESENDING)) {
      begin();
      zombies.add(() -> book(dead, owed));
    } else {
      book(dead, owed);
      begin();
    }
  }

  /** Everything ends: what runs is charged, what is owed is booked. */
  void endAll(Random random) throws BankException {
    runLoop();
    while (!open.isEmpty()) {
      endOne(random, false);
    }
    journal.sync();
    runLoop();
    for (long left = journal.backlog(); left > 0; left = journal.backlog()) {
      flush(100, Fate.FINE);
      assertThat(journal.backlog()).as("charges that cannot be booked").isLessThan(left);
    }
  }

  /** Everything ends well, and leases are closed. */
  void stop(Random random) throws BankException {
    leasing.stop("the simulation ends");
    endAll(random);
    world.bank.close(holder);
  }
}
