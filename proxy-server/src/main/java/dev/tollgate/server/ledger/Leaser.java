package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.BooksClock;
import dev.tollgate.core.ledger.ClockWatch;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.Journal;
import dev.tollgate.core.ledger.Leasing;
import dev.tollgate.core.ledger.Leasing.GrantCall;
import dev.tollgate.core.ledger.Leasing.TickCall;
import dev.tollgate.core.ledger.LedgerRules;
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
public final class Leaser implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Leaser.class);
  private static final Duration TURN = Duration.ofMillis(50);

  private final Bank bank;
  private final Holder holder;
  private final BooksClock clock;
  private final NodeLedger ledger;
  private final Leasing leasing;
  private final Runnable fenced;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("ledger").daemon().factory());

  // One is under way at a time, ten begin every second: a thread that is there costs least.
  private final ExecutorService ticks =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("ledger-tick").daemon().factory());

  private final ClockWatch clocks = new ClockWatch(System.nanoTime(), System.currentTimeMillis());
  private boolean booksAreSilent;
  private boolean toldFenced;

  /**
   * @param clock set to the books' time with each of their answers
   * @param fenced called once when another process took over this node
   */
  public Leaser(
      Bank bank,
      Holder holder,
      BooksClock clock,
      Journal journal,
      LedgerRules rules,
      Runnable fenced) {
    this.bank = bank;
    this.holder = holder;
    this.clock = clock;
    this.ledger = new NodeLedger(journal, rules, System::nanoTime, this::wake);
    this.leasing = new Leasing(ledger);
    this.fenced = fenced;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  public NodeLedger ledger() {
    return ledger;
  }

  /** Admission begins. */
  public void start() {
    thread.execute(() -> leasing.begin(System.nanoTime()));
    thread.scheduleWithFixedDelay(this::turn, 0, TURN.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void wake() {
    if (woken.compareAndSet(false, true) && !thread.isShutdown()) {
      thread.execute(this::turn);
    }
  }

  private void turn() {
    woken.set(false);
    try {
      if (clocks.parted(System.nanoTime(), System.currentTimeMillis())) {
        log.warn("this machine's clocks went apart: nothing is reserved until the store answers");
        leasing.suspect(System.nanoTime());
      }
      for (GrantCall call : leasing.dueGrants(System.nanoTime())) {
        Thread.ofVirtual().name("ledger-grant").start(() -> grant(call));
      }
      leasing.nextTick(System.nanoTime()).ifPresent(call -> ticks.execute(() -> tick(call)));
      if (leasing.isFenced() && !toldFenced) {
        toldFenced = true;
        log.error("the books do not know this process any more: nothing is admitted");
        fenced.run();
      }
    } catch (RuntimeException surprise) {
      log.error("the ledger's turn failed", surprise);
    }
  }

  // On threads of their own

  private void grant(GrantCall call) {
    try {
      GrantAnswer answer = bank.grant(holder, call.ask());
      answered(() -> leasing.granted(call, answer, System.nanoTime()));
    } catch (BankException | RuntimeException | Error e) {
      log.debug("a grant failed", e);
      answered(() -> leasing.grantFailed(call, System.nanoTime()));
    }
  }

  private void tick(TickCall call) {
    try {
      TickAnswer answer = bank.tick(holder, call.number(), call.statements());
      long endedNanos = System.nanoTime();
      answered(
          () -> {
            leasing.ticked(call, answer, endedNanos);
            if (answer instanceof TickAnswer.Alive alive) {
              clock.heard(alive.bankMillis(), call.beganNanos(), endedNanos);
            }
            heard();
          });
    } catch (BankException | RuntimeException | Error e) {
      answered(
          () -> {
            leasing.tickFailed(call, System.nanoTime());
            if (call.statements().isEmpty()) {
              silent(e);
            } else {
              int count = call.statements().size();
              log.warn("what is said of {} leases may not be booked: {}", count, e.getMessage());
            }
          });
    }
  }

  private void answered(Runnable then) {
    if (!thread.isShutdown()) {
      thread.execute(
          () -> {
            try {
              then.run();
            } catch (RuntimeException surprise) {
              log.error("the ledger could not take in an answer", surprise);
            }
            turn();
          });
    }
  }

  // One line in the log for each change of state.

  private void heard() {
    if (booksAreSilent) {
      booksAreSilent = false;
      log.info("the ledger's store answers again");
    }
  }

  private void silent(Throwable failure) {
    if (!booksAreSilent) {
      booksAreSilent = true;
      log.warn("the ledger's store does not answer, leases are spent: {}", failure.getMessage());
    }
  }

  /** Leases grew in the books. From any thread. */
  public void booked(List<Granted> overruns) {
    if (!overruns.isEmpty()) {
      answered(() -> ledger.booked(overruns));
    }
  }

  /** What the books should be told of the leases; it counts as told. Waits for the thread. */
  List<Commitment> commitments() {
    return CompletableFuture.supplyAsync(leasing::commitments, thread)
        .orTimeout(5, TimeUnit.SECONDS) // a thread that is shut down does nothing more
        .join();
  }

  /** What they were told last may not have reached them. */
  void commitmentsUnsaid() {
    answered(leasing::commitmentsUnsaid);
  }

  /** Admission ends; whoever waits is refused. */
  public void stopAdmission() {
    stopAdmission("The service is shutting down.");
  }

  /** Admission ends, and who asks is told why. */
  public void stopAdmission(String message) {
    if (!thread.isShutdown()) {
      thread.execute(() -> leasing.stop(message));
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
