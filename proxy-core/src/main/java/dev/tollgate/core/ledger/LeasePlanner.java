package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.ledger.GrantQueue.Waiter;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.money.MicroUsd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Planner of a node's leases: requests grants ahead of need, returns what is recalled or idle, and
 * stops admission when the node may no longer spend. The planner only decides which calls to the
 * ledger store are due and takes their results; its caller makes them. Confined to the ledger's
 * thread.
 */
public final class LeasePlanner {
  private static final Duration RETRY_DELAY = Duration.ofMillis(30);
  private static final Duration FAILURE_BACKOFF = Duration.ofMillis(100);
  private static final Duration SHORTAGE_TTL = Duration.ofMillis(100);
  private static final Duration REFILL_INTERVAL = Duration.ofSeconds(1);
  private static final int GRANTS_MAX = 8;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Duration WINDOW_RETENTION = Duration.ofMinutes(15);

  private final NodeLedger ledger;
  private final LedgerRules rules;
  private final Commitments commitments;
  // In the order in which grants are requested.
  private final Map<KeyId, GrantQueue> queues = new LinkedHashMap<>();
  private final LeaseStatements statements;
  private long calls;
  private int grantsUnderWay;
  private boolean ticking;
  private boolean fenced;
  private @Nullable String stopped;
  private long tickedNanos;
  private long suspendedNanos;
  private long storeMillis;
  private long storeReadNanos;
  private @Nullable NextWindowPrefetch prefetch;

  public LeasePlanner(NodeLedger ledger) {
    this.ledger = ledger;
    this.rules = ledger.rules();
    this.commitments = new Commitments(ledger);
    this.statements = new LeaseStatements(ledger);
  }

  /** A grant call that is due; ended by {@link #granted} or {@link #grantFailed}. */
  public static final class GrantCall {
    private final GrantRequest request;
    private final List<Account> accounts;
    private final @Nullable GrantQueue queue;
    private final @Nullable Waiter first;

    private GrantCall(
        GrantRequest request,
        List<Account> accounts,
        @Nullable GrantQueue queue,
        @Nullable Waiter first) {
      this.request = request;
      this.accounts = accounts;
      this.queue = queue;
      this.first = first;
    }

    public GrantRequest request() {
      return request;
    }
  }

  /**
   * A heartbeat that is due, with lease statements; ended by {@link #ticked} or {@link
   * #tickFailed}.
   */
  public record TickCall(long number, List<LeaseStatement> statements, long beganNanos) {}

  /** Opens admission after the node began its epoch in the ledger store. */
  public void begin(long nowNanos) {
    tickedNanos = nowNanos;
    suspendedNanos = nowNanos;
    prefetch = new NextWindowPrefetch(ledger, nowNanos);
    openAdmission(nowNanos);
  }

  /**
   * Stops admission until the store answers the next heartbeat, because the monotonic clock may
   * have missed time.
   */
  public void suspend(long nowNanos) {
    suspendedNanos = nowNanos;
    tickedNanos = nowNanos - rules.tick().toNanos();
    closeAdmission(nowNanos);
  }

  private void closeAdmission(long nowNanos) {
    if (stopped == null) {
      ledger.admission(new NodeLedger.AdmissionState.Open(nowNanos - 1));
    }
  }

  private void openAdmission(long sinceNanos) {
    if (stopped != null || sinceNanos - suspendedNanos < 0) {
      return;
    }
    long until = sinceNanos + rules.heartbeatTimeout().toNanos();
    ledger.admission(new NodeLedger.AdmissionState.Open(until));
  }

  /** Stops admission for good, whatever the store answers later; running requests are settled. */
  public void stop(String message) {
    stopped = message;
    ledger.admission(new NodeLedger.AdmissionState.Closed(message));
    refuseAll(message);
  }

  private void refuseAll(String message) {
    takeArrivals();
    for (GrantQueue queue : queues.values()) {
      queue.waiters().forEach(waiter -> ledger.refuse(waiter, Refusals.unavailable(message)));
      queue.waiters().clear();
    }
  }

  /** True if this process is not the holder of its node's current epoch: it must end. */
  public boolean isFenced() {
    return fenced;
  }

  // Grants

  /** Returns the grant calls that are due now; none is due again while it is pending. */
  public List<GrantCall> dueGrants(long nowNanos) {
    if (stopped != null) {
      refuseAll(stopped); // requests that arrived while admission was still open
      return List.of();
    }
    takeArrivals();
    List<GrantCall> due = new ArrayList<>();
    List<KeyId> called = new ArrayList<>();
    Iterator<Map.Entry<KeyId, GrantQueue>> all = queues.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<KeyId, GrantQueue> next = all.next();
      GrantQueue queue = next.getValue();
      serve(queue, nowNanos);
      if (queue.isDone()) {
        all.remove();
      } else if (queue.mayCall(nowNanos) && grantsUnderWay < GRANTS_MAX) {
        grantFor(queue)
            .ifPresent(
                call -> {
                  due.add(call);
                  called.add(next.getKey());
                });
      }
    }
    called.forEach(this::moveToBack);
    refill(due, nowNanos);
    return due;
  }

  private void moveToBack(KeyId key) {
    GrantQueue queue = queues.remove(key);
    if (queue != null) {
      queues.put(key, queue);
    }
  }

  private void takeArrivals() {
    for (Waiter next = ledger.nextArrival(); next != null; next = ledger.nextArrival()) {
      long since = next.sinceNanos();
      queues
          .computeIfAbsent(next.payerAccounts().payer().key(), _ -> new GrantQueue(since))
          .waiters()
          .add(next.withSinceCall(calls + 1));
    }
  }

  /** Answers every waiter that can be answered now, also those behind one that cannot. */
  private void serve(GrantQueue queue, long nowNanos) {
    queue.renew(ledger::renewed);
    queue
        .waiters()
        .removeIf(
            waiter ->
                ledger.serve(waiter)
                    || refusedByKnownShortage(waiter, nowNanos)
                    || expired(waiter, nowNanos));
  }

  private boolean refusedByKnownShortage(Waiter waiter, long nowNanos) {
    for (Account account : waiter.payerAccounts().accounts()) {
      Shortage known = account.knownShortage(waiter.amount() - account.available(), nowNanos);
      if (known != null) {
        refuse(waiter, known, account.attainable(known));
        return true;
      }
    }
    return false;
  }

  private void refuse(Waiter waiter, Shortage shortage, long available) {
    Window window = waiter.payerAccounts().payer().window();
    ledger.refuse(waiter, Refusals.of(shortage, window, waiter.amount(), available));
  }

  private boolean expired(Waiter waiter, long nowNanos) {
    if (nowNanos - waiter.sinceNanos() <= rules.waitMax().toNanos()) {
      return false;
    }
    ledger.refuse(waiter, Refusals.unavailable("The ledger did not answer in time."));
    return true;
  }

  /**
   * Returns a grant call for the first waiter; empty if another call for the same scope has to end
   * first.
   */
  private Optional<GrantCall> grantFor(GrantQueue queue) {
    Waiter first = queue.waiters().getFirst();
    List<Account> accounts = new ArrayList<>();
    List<GrantItem> items = new ArrayList<>();
    for (Account account : first.payerAccounts().accounts()) {
      long minimum = first.amount() - account.available();
      if (minimum > 0 && !account.mayRequest()) {
        return Optional.empty();
      }
      if (minimum > 0) {
        accounts.add(account);
        items.add(item(account, minimum));
      }
    }
    queue.beginCall();
    GrantRequest request =
        new GrantRequest(++calls, first.payerAccounts().payer(), items, true, first.sinceCall());
    return Optional.of(started(new GrantCall(request, accounts, queue, first)));
  }

  private GrantItem item(Account account, long minimum) {
    long desired = account.desired(minimum, rules.outageGrace());
    MicroUsd knownBase = account.isInDoubt() ? new MicroUsd(account.base()) : null;
    return new GrantItem(
        account.scope().kind(), new MicroUsd(minimum), new MicroUsd(desired), knownBase);
  }

  private void refill(List<GrantCall> due, long nowNanos) {
    for (Account account : ledger.accounts()) {
      if (grantsUnderWay >= GRANTS_MAX) {
        return;
      }
      if (account.isLow(rules, nowNanos)) {
        GrantRequest request =
            new GrantRequest(++calls, account.payer(), List.of(item(account, 1)), false);
        due.add(started(new GrantCall(request, List.of(account), null, null)));
      }
    }
  }

  private GrantCall started(GrantCall call) {
    grantsUnderWay++;
    call.accounts.forEach(account -> account.pendingGrants(1));
    return call;
  }

  private void ended(GrantCall call) {
    grantsUnderWay--;
    call.accounts.forEach(account -> account.pendingGrants(-1));
  }

  /** Applies the store's answer to a grant call. */
  public void granted(GrantCall call, GrantAnswer answer, long nowNanos) {
    ended(call);
    switch (answer) {
      case GrantAnswer.Issued issued -> {
        confirmBases(call);
        issued(call, issued.granted(), nowNanos);
      }
      case GrantAnswer.Refused refused -> {
        confirmBases(call);
        refused(call, refused.shortages(), nowNanos);
      }
      case GrantAnswer.Fenced _ -> fence();
      case GrantAnswer.Stale _ -> retryLater(call, nowNanos);
    }
  }

  private static void confirmBases(GrantCall call) {
    for (int i = 0; i < call.accounts.size(); i++) {
      if (call.request.items().get(i).knownBase() != null) {
        call.accounts.get(i).clearInDoubt();
      }
    }
  }

  private void issued(GrantCall call, List<LeaseGrowth> granted, long nowNanos) {
    for (int i = 0; i < granted.size(); i++) {
      Account account = call.accounts.get(i);
      account.grow(granted.get(i).amount().value());
      // After a partial grant the next refill would be as small.
      boolean partial =
          granted.get(i).amount().compareTo(call.request.items().get(i).desired()) < 0;
      if (partial) {
        ledger.countPartialGrant();
      }
      account.refillNotBefore(partial ? nowNanos + REFILL_INTERVAL.toNanos() : nowNanos);
    }
    if (call.queue != null) {
      call.queue.callEnded(nowNanos);
    }
  }

  private void refused(GrantCall call, List<Shortage> shortages, long nowNanos) {
    for (Account account : call.accounts) {
      account.refillNotBefore(nowNanos + REFILL_INTERVAL.toNanos());
    }
    GrantQueue queue = call.queue;
    Waiter first = call.first;
    if (queue == null || first == null) {
      return; // a refill recalls no idle money from other nodes
    }
    Optional<Shortage> end = finalShortage(call, first, shortages, nowNanos);
    boolean recalled = end.isEmpty() && shortages.stream().anyMatch(Shortage::awaitsRecall);
    boolean waits = queue.waiters().contains(first);
    if (waits && recalled) {
      queue.waiters().remove(first);
      queue.waiters().addLast(first); // a smaller request may find enough
    } else if (waits && end.isPresent()) {
      queue.waiters().remove(first);
      // Other requests may have released money meanwhile.
      if (!ledger.serve(first)) {
        refuse(first, end.get(), attainable(call, shortages));
      }
    }
    boolean alone = queue.waiters().size() < 2;
    queue.callEnded(recalled && alone ? nowNanos + RETRY_DELAY.toNanos() : nowNanos);
  }

  /** Returns the most that every scope could have granted. */
  private static long attainable(GrantCall call, List<Shortage> shortages) {
    return call.accounts.stream()
        .flatMapToLong(
            account ->
                shortages.stream()
                    .filter(shortage -> shortage.scope().equals(account.scope()))
                    .mapToLong(account::attainable))
        .min()
        .orElse(0);
  }

  /** Returns the first shortage that is final, whatever happens to the other scopes. */
  private static Optional<Shortage> finalShortage(
      GrantCall call, Waiter first, List<Shortage> shortages, long nowNanos) {
    Shortage end = null;
    for (Shortage shortage : shortages) {
      for (int i = 0; i < call.accounts.size(); i++) {
        Account account = call.accounts.get(i);
        if (!shortage.scope().equals(account.scope())) {
          continue;
        }
        long minimum = call.request.items().get(i).minimum().value();
        boolean holds = account.isRefusalFinal(minimum, first.amount() - account.available());
        if (holds && !shortage.awaitsRecall()) {
          account.rememberShortage(shortage, nowNanos + SHORTAGE_TTL.toNanos());
          end = end == null ? shortage : end;
        }
      }
    }
    return Optional.ofNullable(end);
  }

  /**
   * Handles a failed call whose outcome is unknown: a grant that was not received is not spent, and
   * the next call states the known base.
   */
  public void grantFailed(GrantCall call, long nowNanos) {
    ended(call);
    call.accounts.forEach(Account::markInDoubt);
    retryLater(call, nowNanos);
  }

  private static void retryLater(GrantCall call, long nowNanos) {
    long again = nowNanos + FAILURE_BACKOFF.toNanos();
    call.accounts.forEach(account -> account.refillNotBefore(again));
    if (call.queue != null) {
      call.queue.callEnded(again);
    }
  }

  // Ticks

  /** Returns the heartbeat that is due; empty if none is. */
  public Optional<TickCall> nextTick(long nowNanos) {
    Duration since = Duration.ofNanos(nowNanos - tickedNanos);
    boolean isDue = since.compareTo(rules.tick()) >= 0 || statements.areUrgent();
    if (fenced || ticking || !isDue) {
      return Optional.empty();
    }
    ticking = true;
    tickedNanos = nowNanos;
    if (prefetch != null && storeMillis > 0) {
      prefetch.prefetch(storeMillis + (nowNanos - storeReadNanos) / NANOS_PER_MILLI, nowNanos);
    }
    List<LeaseStatement> sent = statements.next(since, retainedWindow(), nowNanos);
    return Optional.of(new TickCall(++calls, sent, nowNanos));
  }

  private Window retainedWindow() {
    return Window.at(storeMillis - WINDOW_RETENTION.toMillis());
  }

  /** Applies the store's answer to a heartbeat. */
  public void ticked(TickCall call, TickAnswer answer, long nowNanos) {
    ticking = false;
    switch (answer) {
      case TickAnswer.Fenced _ -> fence();
      case TickAnswer.Accepted alive -> {
        // From the begin of the call: the store may count from then on.
        openAdmission(call.beganNanos());
        storeMillis = alive.storeMillis();
        storeReadNanos = call.beganNanos();
        statements.acknowledged(call.statements(), alive, retainedWindow(), nowNanos);
        ledger.applyOverruns(alive.overruns());
      }
    }
  }

  /**
   * Handles a failed heartbeat: what its statements returned counts as returned, whether they
   * arrived or not, and nothing idle is returned until the store answers again.
   */
  public void tickFailed(TickCall call, long nowNanos) {
    ticking = false;
    statements.failed();
    // A heartbeat with statements may have failed because of them; the bare one that follows shows
    // that.
    boolean isBare = call.statements().isEmpty();
    if (isBare && rules.outageGrace().isZero()) {
      closeAdmission(nowNanos);
    }
  }

  // Commitments, for the case that this node is lost

  /** Returns the commitments to report now, and counts them as reported. */
  public List<Commitment> commitments() {
    return commitments.takeDue();
  }

  /** Handles a report of commitments that may be lost. */
  public void commitmentsLost() {
    commitments.clearReported();
  }

  private void fence() {
    fenced = true;
    stop("This node may not spend any more.");
  }
}
