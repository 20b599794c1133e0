package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.ClockDriftDetector;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.Journal;
import dev.tollgate.core.ledger.LeasePlanner;
import dev.tollgate.core.ledger.LeasePlanner.GrantCall;
import dev.tollgate.core.ledger.LeasePlanner.TickCall;
import dev.tollgate.core.ledger.LedgerClock;
import dev.tollgate.core.ledger.LedgerRules;
import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.ledger.NodeLedger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the calls to the books that a node's leases need. One thread decides what is due; each call
 * waits for its answer on a thread of its own, and no two calls for one scope are under way.
 */
public final class LeaseClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LeaseClient.class);
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final LedgerStore store;
  private final LeaseHolder holder;
  private final LedgerClock clock;
  private final NodeLedger ledger;
  private final LeasePlanner planner;
  private final Runnable fenced;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("ledger").daemon().factory());

  // One is under way at a time, ten begin every second: a thread that is there costs least.
  private final ExecutorService ticks =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("ledger-tick").daemon().factory());

  private final ClockDriftDetector clockDrift =
      new ClockDriftDetector(System.nanoTime(), System.currentTimeMillis());
  private boolean storeUnresponsive;
  private boolean fencedReported;

  /**
   * @param clock set to the books' time with each of their answers
   * @param fenced called once when another process took over this node
   */
  public LeaseClient(
      LedgerStore store,
      LeaseHolder holder,
      LedgerClock clock,
      Journal journal,
      LedgerRules rules,
      Runnable fenced) {
    this.store = store;
    this.holder = holder;
    this.clock = clock;
    this.ledger = new NodeLedger(journal, rules, System::nanoTime, this::wake);
    this.planner = new LeasePlanner(ledger);
    this.fenced = fenced;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  public NodeLedger ledger() {
    return ledger;
  }

  /** Admission begins. */
  public void start() {
    thread.execute(() -> planner.begin(System.nanoTime()));
    thread.scheduleWithFixedDelay(this::runOnce, 0, INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void wake() {
    if (woken.compareAndSet(false, true) && !thread.isShutdown()) {
      thread.execute(this::runOnce);
    }
  }

  private void runOnce() {
    woken.set(false);
    try {
      if (clockDrift.hasDrifted(System.nanoTime(), System.currentTimeMillis())) {
        log.warn("this machine's clocks went apart: nothing is reserved until the store answers");
        planner.suspend(System.nanoTime());
      }
      for (GrantCall call : planner.dueGrants(System.nanoTime())) {
        Thread.ofVirtual().name("ledger-grant").start(() -> grant(call));
      }
      planner.nextTick(System.nanoTime()).ifPresent(call -> ticks.execute(() -> tick(call)));
      if (planner.isFenced() && !fencedReported) {
        fencedReported = true;
        log.error("the books do not know this process any more: nothing is admitted");
        fenced.run();
      }
    } catch (RuntimeException unexpected) {
      log.error("the ledger's turn failed", unexpected);
    }
  }

  // On threads of their own

  private void grant(GrantCall call) {
    try {
      GrantAnswer answer = store.grant(holder, call.ask());
      onAnswer(() -> planner.granted(call, answer, System.nanoTime()));
    } catch (LedgerStoreException | RuntimeException | Error e) {
      log.debug("a grant failed", e);
      onAnswer(() -> planner.grantFailed(call, System.nanoTime()));
    }
  }

  private void tick(TickCall call) {
    try {
      TickAnswer answer = store.tick(holder, call.number(), call.statements());
      long endedNanos = System.nanoTime();
      onAnswer(
          () -> {
            planner.ticked(call, answer, endedNanos);
            if (answer instanceof TickAnswer.Accepted alive) {
              clock.update(alive.storeMillis(), call.beganNanos(), endedNanos);
            }
            onResponse();
          });
    } catch (LedgerStoreException | RuntimeException | Error e) {
      onAnswer(
          () -> {
            planner.tickFailed(call, System.nanoTime());
            if (call.statements().isEmpty()) {
              onNoResponse(e);
            } else {
              int count = call.statements().size();
              log.warn("what is said of {} leases may not be booked: {}", count, e.getMessage());
            }
          });
    }
  }

  private void onAnswer(Runnable then) {
    if (!thread.isShutdown()) {
      thread.execute(
          () -> {
            try {
              then.run();
            } catch (RuntimeException unexpected) {
              log.error("the ledger could not take in an answer", unexpected);
            }
            runOnce();
          });
    }
  }

  // One line in the log for each change of state.

  private void onResponse() {
    if (storeUnresponsive) {
      storeUnresponsive = false;
      log.info("the ledger's store answers again");
    }
  }

  private void onNoResponse(Throwable failure) {
    if (!storeUnresponsive) {
      storeUnresponsive = true;
      log.warn("the ledger's store does not answer, leases are spent: {}", failure.getMessage());
    }
  }

  /** Leases grew in the books. From any thread. */
  public void applyOverruns(List<LeaseGrowth> overruns) {
    if (!overruns.isEmpty()) {
      onAnswer(() -> ledger.applyOverruns(overruns));
    }
  }

  /** What the books should be told of the leases; it counts as told. Waits for the thread. */
  List<Commitment> commitments() {
    return CompletableFuture.supplyAsync(planner::commitments, thread)
        .orTimeout(5, TimeUnit.SECONDS) // a thread that is shut down does nothing more
        .join();
  }

  /** What they were told last may not have reached them. */
  void commitmentsLost() {
    onAnswer(planner::commitmentsLost);
  }

  /** Admission ends; whoever waits is refused. */
  public void stopAdmission() {
    stopAdmission("The service is shutting down.");
  }

  /** Admission ends, and who asks is told why. */
  public void stopAdmission(String message) {
    if (!thread.isShutdown()) {
      thread.execute(() -> planner.stop(message));
    }
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        log.warn("the ledger's thread did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ticks.shutdown();
  }
}
