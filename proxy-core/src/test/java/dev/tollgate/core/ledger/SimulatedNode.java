package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LeasePlanner.GrantCall;
import dev.tollgate.core.ledger.LeasePlanner.TickCall;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Node of a simulation, whose process may die at any moment while its disk survives. */
final class SimulatedNode {
  private static final byte[] NO_ROW = {};

  private final UUID id;
  private final SimulatedWorld world;
  private final LedgerRules rules;
  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final List<Open> open = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();
  private final TimedOutCalls timedOut;
  private SimulatedJournal journal;
  private NodeLedger ledger;
  private LeasePlanner planner;
  private LeaseHolder holder;
  private @Nullable Dead dead;
  private final SimulatedClocks clocks;
  private LedgerClock clock;
  private long lastAnswerMillis;
  private int grants;
  private int returned;

  /** A process that died and the charges on its disk, while the store or the machine is down. */
  private record Dead(LeaseHolder holder, List<Settlement> owed, boolean comesBack) {}

  /** A running request. */
  private record Open(
      RequestId request, Reservation reservation, long most, List<Account> accounts) {}

  SimulatedNode(UUID id, SimulatedWorld world) {
    this(id, world, LedgerRules.DEFAULT);
  }

  SimulatedNode(UUID id, SimulatedWorld world, LedgerRules rules) {
    this.id = id;
    this.world = world;
    this.rules = rules;
    this.clocks = new SimulatedClocks(world);
    this.timedOut = new TimedOutCalls(world);
    begin();
  }

  private void begin() {
    holder = world.ledgerStore.open(id, UUID.randomUUID());
    journal = new SimulatedJournal(world);
    ledger = new NodeLedger(journal, world.rules(rules), this::nanos, () -> {});
    planner = new LeasePlanner(ledger);
    planner.begin(nanos());
    clock = new LedgerClock(this::nanos, world.ledgerStore.millis());
    lastAnswerMillis = world.ledgerStore.millis();
  }

  /** Checks the clocks, before everything else that the node does. */
  void checkClocks() {
    if (clocks.diverged() && !world.is(Mutant.IGNORES_ITS_CLOCKS)) {
      planner.suspend(nanos());
    }
  }

  SimulatedClocks clocks() {
    return clocks;
  }

  private long nanos() {
    return clocks.nanos();
  }

  // The disk

  /** Lets others fill the disk, except for room for {@code records}. */
  void fillDisk(int records) {
    journal.room(records);
  }

  void clearDisk() {
    journal.room(SimulatedJournal.ROOM);
  }

  void sync() {
    journal.sync();
  }

  int grants() {
    return grants;
  }

  int returned() {
    return returned;
  }

  NodeLedger ledger() {
    return ledger;
  }

  LeasePlanner planner() {
    return planner;
  }

  LeaseHolder holder() {
    return holder;
  }

  /** Checks the sums of every lease of this epoch while no answer is missing. */
  void requireBalanced() {
    if (dead != null) {
      return;
    }
    for (Account account : ledger.accounts()) {
      long reserved =
          open.stream().filter(one -> one.accounts().contains(account)).mapToLong(Open::most).sum();
      assertThat(account.reserved()).as("%s", account.scope()).isEqualTo(reserved);
    }
  }

  // Requests

  void ask(ApiKey key, long most) {
    ask(
        key,
        most,
        world.is(Mutant.DATES_REQUESTS_BY_ITS_WALL_CLOCK) ? clocks.wall() : clock.millis(),
        true);
  }

  /** Reserves for a request whose headers arrived at {@code millis}, however long its body took. */
  void ask(ApiKey key, long most, long millis) {
    ask(key, most, millis, false);
  }

  private void ask(ApiKey key, long most, long millis, boolean isNow) {
    RequestId request = RequestId.at(millis);
    world.admitted.put(request, LocalDate.ofEpochDay(millis / 86_400_000));
    int ran = open.size();
    boolean hasRoom = journal.hasRoomForOneMore();
    ledger.reserve(
        request,
        key,
        new MicroUsd(most),
        loop::add,
        answer -> answered(request, key, most, answer));
    if (open.size() > ran) {
      requireMayAdmit(isNow ? millis : world.ledgerStore.millis(), hasRoom);
    }
  }

  /**
   * Checks what must hold whenever a request is admitted at once, whatever the machine's clocks
   * show.
   */
  private void requireMayAdmit(long millis, boolean hasRoom) {
    long timeout = rules.heartbeatTimeout().toMillis();
    long now = world.ledgerStore.millis();
    assertThat(now - lastAnswerMillis)
        .as("admitted without heartbeat")
        .isLessThanOrEqualTo(timeout);
    assertThat(Math.abs(now - millis)).as("dated").isLessThanOrEqualTo(timeout);
    assertThat(hasRoom).as("admitted with room on the disk").isTrue();
  }

  private void answered(RequestId request, ApiKey key, long most, Ledger.ReserveResult answer) {
    switch (answer) {
      case Ledger.ReserveResult.Reserved reserved -> {
        world.served++;
        world.reserved.put(request, holder);
        world.unreported.put(request, holder);
        reserved.reservation().begin();
        open.add(new Open(request, reserved.reservation(), most, accounts(request, key)));
      }
      case Ledger.ReserveResult.Refused refused -> world.refused.add(refused);
    }
  }

  private List<Account> accounts(RequestId request, ApiKey key) {
    Payer payer = Payer.of(key, request);
    return ledger.accounts().stream()
        .filter(account -> account.scope().equals(payer.scope(account.scope().kind())))
        .filter(account -> (PayerAccounts.limitedKinds(key) & account.scope().kind().bit()) != 0)
        .toList();
  }

  /** Ends a running request at a random cost. */
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
    if (world.hasPoison && random.nextInt(20) == 0) {
      world.ledgerStore.poison(one.request());
    }
    boolean dear = overruns && random.nextInt(10) == 0;
    settle(one, 1 + random.nextLong(dear ? one.most() * 2 : one.most()));
  }

  /** Ends the oldest running request at a cost. */
  void endOneAt(long cost) {
    settle(open.removeFirst(), cost);
  }

  int running() {
    return open.size();
  }

  UUID id() {
    return id;
  }

  /** Ends every running request at the cost that was reserved. */
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
            SettlementKind.COMPLETED,
            NO_ROW,
            () -> world.acknowledged.put(one.request(), cost));
  }

  void runLoop() {
    while (!loop.isEmpty()) {
      loop.poll().run();
    }
  }

  // Calls to the ledger store, each of which may fail before or after its commit

  /** True if the store fenced this epoch: the process must end. */
  boolean isFenced() {
    return planner.isFenced();
  }

  boolean lease(CallOutcome fate) {
    List<GrantCall> due = planner.dueGrants(nanos());
    CallOutcome its = world.isDown() ? CallOutcome.LOST : fate;
    due.forEach(call -> grant(call, its));
    return !due.isEmpty();
  }

  private void grant(GrantCall call, CallOutcome fate) {
    grants++;
    LeasePlanner then = planner;
    LeaseHolder asking = holder;
    if (fate == CallOutcome.LOST || fate == CallOutcome.TIMED_OUT) {
      grantFailed(then, call);
      timedOut.addIf(fate, () -> world.ledgerStore.grant(asking, call.request()));
      return;
    }
    LedgerStore.GrantAnswer answer = world.ledgerStore.grant(asking, call.request());
    switch (fate) {
      case FINE -> then.granted(call, answer, nanos());
      case LATE -> late.add(() -> then.granted(call, answer, nanos()));
      case ANSWER_LOST -> grantFailed(then, call);
      case LOST, TIMED_OUT -> throw new AssertionError();
    }
  }

  private void grantFailed(LeasePlanner then, GrantCall call) {
    if (world.is(Mutant.STATES_NOTHING_AFTER_A_LOST_ANSWER)) {
      then.granted(call, new LedgerStore.GrantAnswer.Stale(), nanos());
    } else {
      then.grantFailed(call, nanos());
    }
  }

  TimedOutCalls timedOut() {
    return timedOut;
  }

  void tick(CallOutcome hoped) {
    CallOutcome fate = world.isDown() ? CallOutcome.LOST : hoped;
    Optional<TickCall> due = planner.nextTick(nanos());
    if (due.isEmpty()) {
      return;
    }
    TickCall call = due.get();
    returned += call.statements().size();
    LeasePlanner then = planner;
    LeaseHolder live = holder;
    if (fate == CallOutcome.LOST || fate == CallOutcome.TIMED_OUT) {
      tickFailed(then, call);
      timedOut.addIf(fate, () -> world.ledgerStore.tick(live, call.number(), call.statements()));
      return;
    }
    LedgerStore.TickAnswer answer = world.ledgerStore.tick(live, call.number(), call.statements());
    long beganMillis = world.ledgerStore.millis();
    switch (fate) {
      case FINE -> ticked(then, call, answer, beganMillis);
      case LATE -> late.add(() -> ticked(then, call, answer, beganMillis));
      case ANSWER_LOST -> tickFailed(then, call);
      case LOST, TIMED_OUT -> throw new AssertionError();
    }
  }

  private void ticked(
      LeasePlanner then, TickCall call, LedgerStore.TickAnswer answer, long beganMillis) {
    then.ticked(call, answer, nanos());
    if (answer instanceof LedgerStore.TickAnswer.Accepted alive) {
      clock.update(alive.storeMillis(), call.beganNanos(), nanos());
      lastAnswerMillis = Math.max(lastAnswerMillis, beganMillis);
    }
  }

  /** Reports the node's commitments to the store. */
  void report(CallOutcome fate) {
    if (world.isDown() || fate == CallOutcome.LOST || fate == CallOutcome.TIMED_OUT) {
      planner.commitments();
      planner.commitmentsLost();
    } else if (world.ledgerStore.report(holder, planner.commitments())) {
      world.unreported.values().removeIf(holder::equals);
    }
  }

  private void tickFailed(LeasePlanner then, TickCall call) {
    if (world.is(Mutant.STATES_NOTHING_AFTER_A_LOST_ANSWER)) {
      long millis = world.ledgerStore.millis();
      lastAnswerMillis = millis; // as far as the node can know
      then.ticked(
          call,
          new LedgerStore.TickAnswer.Accepted(millis, List.of(), List.of(), List.of()),
          nanos());
    } else {
      then.tickFailed(call, nanos());
    }
  }

  void deliverLate() {
    List<Runnable> all = List.copyOf(late);
    late.clear();
    all.forEach(Runnable::run);
  }

  void flush(int max, CallOutcome fate) throws LedgerStoreException {
    List<Settlement> batch = journal.unsettled(max);
    if (batch.isEmpty() || fate == CallOutcome.LOST || world.isDown()) {
      return;
    }
    LeaseHolder settling = holder;
    if (fate == CallOutcome.TIMED_OUT) {
      timedOut.add(() -> world.settle(settling, batch));
      return;
    }
    Optional<List<LeaseGrowth>> settled = world.settle(settling, batch);
    if (fate == CallOutcome.ANSWER_LOST || settled.isEmpty()) {
      return;
    }
    List<LeaseGrowth> overruns = settled.get();
    NodeLedger then = ledger;
    journal.settled(batch.size());
    if (fate == CallOutcome.LATE) {
      late.add(() -> then.applyOverruns(overruns));
    } else {
      then.applyOverruns(overruns);
    }
  }

  // Crashes

  /** Kills the process; the next one begins as soon as it reaches the store. */
  void crash(Random random) throws LedgerStoreException {
    die(random, true);
    recover();
  }

  /** Kills the machine, with the charges on its disk, for good. */
  void crashForGood(Random random) {
    die(random, false);
  }

  private void die(Random random, boolean comesBack) {
    open.clear();
    loop.clear();
    late.clear();
    List<JournalRecord> found = journal.afterCrash(random);
    List<Settlement> owed = new ArrayList<>();
    Recovery recovery = new Recovery();
    found.forEach(record -> recovery.accept(record).ifPresent(owed::add));
    owed.addAll(recovery.crashed());
    owed.forEach(charge -> world.unrecovered.put(charge.request(), charge));
    dead = new Dead(holder, owed, comesBack);
  }

  boolean isDead() {
    return dead != null;
  }

  boolean isRemoved() {
    return dead != null && !dead.comesBack();
  }

  /** Lets the machine return after all. */
  void restart() throws LedgerStoreException {
    Dead found = dead;
    if (found != null) {
      dead = new Dead(found.holder(), found.owed(), true);
      recover();
    }
  }

  /** Starts the next process, which settles what the last one left. */
  void recover() throws LedgerStoreException {
    Dead last = dead;
    if (last == null || !last.comesBack() || world.isDown()) {
      return;
    }
    if (world.is(Mutant.RESENDS_NOTHING_AFTER_A_CRASH)) {
      begin();
    } else if (world.is(Mutant.CLOSES_LEASES_BEFORE_RESENDING)) {
      begin();
      timedOut.add(() -> world.settle(last.holder(), last.owed()));
    } else {
      world.settle(last.holder(), last.owed());
      begin();
    }
    dead = null;
    last.owed().forEach(charge -> world.unrecovered.remove(charge.request()));
  }

  /** Ends all running requests, and settles all charges. */
  void endAll(Random random) throws LedgerStoreException {
    runLoop();
    while (!open.isEmpty()) {
      endOne(random, false);
    }
    journal.sync();
    runLoop();
    for (long left = journal.backlog(); left > 0; left = journal.backlog()) {
      flush(100, CallOutcome.FINE);
      assertThat(journal.backlog()).as("charges that cannot be settled").isLessThan(left);
    }
  }

  /** Ends everything in order and closes the leases. */
  void stop(Random random) throws LedgerStoreException {
    planner.stop("the simulation ends");
    endAll(random);
    world.ledgerStore.close(holder);
  }
}
