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
 * Client of the ledger store that obtains, renews and returns this node's leases of account
 * balances. One thread decides which calls are due; each call blocks on a thread of its own, and no
 * two calls for one scope run at once.
 */
public final class LeaseClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseClient.class);
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

  // One tick runs at a time, ten begin every second: a permanent thread costs least.
  private final ExecutorService ticks =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("ledger-tick").daemon().factory());

  private final ClockDriftDetector clockDrift =
      new ClockDriftDetector(System.nanoTime(), System.currentTimeMillis());
  private volatile boolean storeUnresponsive;
  private boolean statementsLost;
  private boolean fencedReported;

  /**
   * @param clock updated with the store's time from each answer
   * @param fenced called once when the store fences this process
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

  /** Opens admission and begins to call the store. */
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
        LOG.warn(
            "this machine's clocks drifted apart: nothing is reserved until the store answers");
        planner.suspend(System.nanoTime());
      }
      for (GrantCall call : planner.dueGrants(System.nanoTime())) {
        Thread.ofVirtual().name("ledger-grant").start(() -> grant(call));
      }
      planner.nextTick(System.nanoTime()).ifPresent(call -> ticks.execute(() -> tick(call)));
      if (planner.isFenced() && !fencedReported) {
        fencedReported = true;
        LOG.error("the ledger store fenced this process: nothing is admitted");
        fenced.run();
      }
    } catch (RuntimeException unexpected) {
      LOG.error("a round of the lease client failed", unexpected);
    }
  }

  // On threads of their own

  private void grant(GrantCall call) {
    try {
      GrantAnswer answer = store.grant(holder, call.request());
      onAnswer(() -> planner.granted(call, answer, System.nanoTime()));
    } catch (LedgerStoreException | RuntimeException | Error e) {
      LOG.debug("a grant failed", e);
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
            int count = call.statements().size();
            if (count == 0) {
              onNoResponse(e);
            } else if (!storeUnresponsive && !statementsLost) {
              statementsLost = true;
              LOG.warn("statements of {} leases may not be stored: {}", count, e.getMessage());
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
              LOG.error("an answer of the ledger store could not be applied", unexpected);
            }
            runOnce();
          });
    }
  }

  // One line in the log for each change of state.

  private void onResponse() {
    statementsLost = false;
    if (storeUnresponsive) {
      storeUnresponsive = false;
      LOG.info("the ledger store answers again");
    }
  }

  private void onNoResponse(Throwable failure) {
    if (!storeUnresponsive) {
      storeUnresponsive = true;
      LOG.warn("the ledger store does not answer, leases are spent: {}", failure.getMessage());
    }
  }

  /** True while the store does not answer heartbeats. */
  public boolean isStoreUnresponsive() {
    return storeUnresponsive;
  }

  /** Applies growth of leases by overruns. Safe on any thread. */
  public void applyOverruns(List<LeaseGrowth> overruns) {
    if (!overruns.isEmpty()) {
      onAnswer(() -> ledger.applyOverruns(overruns));
    }
  }

  /**
   * Returns the commitments to report, and counts them as reported. Waits for the ledger's thread.
   */
  List<Commitment> commitments() {
    return CompletableFuture.supplyAsync(planner::commitments, thread)
        .orTimeout(5, TimeUnit.SECONDS) // a thread that is shut down never answers
        .join();
  }

  /** Handles a report of commitments that may be lost. */
  void commitmentsLost() {
    onAnswer(planner::commitmentsLost);
  }

  /** Ends admission; waiting requests are refused. */
  public void stopAdmission() {
    stopAdmission("The service is shutting down.");
  }

  /** Ends admission; requests are refused with the message. */
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
        LOG.warn("the ledger's thread did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ticks.shutdown();
  }
}
