package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeCheckpoint.CheckpointVerdict;
import dev.tollgate.core.ledger.NodeCheckpoints;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second whether the books are still those that this life began with, with all that it
 * settled to them, and tells them how much of the journal they have. On the settler's thread:
 * between two batches nothing is under way that could count.
 */
public final class RollbackDetector {
  private static final Logger log = LoggerFactory.getLogger(RollbackDetector.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final Duration DIAGNOSE_RETRY = Duration.ofMillis(200);
  private static final int DIAGNOSE_ATTEMPTS_MAX = 50;

  private final NodeCheckpoints checkpoints;
  private final LeaseHolder holder;
  private final LedgerStoreIdentity initialIdentity;
  private final CheckpointedJournal journal;
  private final Consumer<String> onRollback;
  private final Sleeper sleeper;
  private final AtomicBoolean reported = new AtomicBoolean();
  private long checkpointed;
  private long checkedNanos;

  /** The journal, as far as the books must know it. */
  interface CheckpointedJournal {
    /** All charges before this segment are booked. */
    long neededFrom();

    /** The books know that. */
    void checkpointed(long keptFrom);
  }

  RollbackDetector(
      NodeCheckpoints checkpoints,
      LeaseHolder holder,
      LedgerStoreIdentity initialIdentity,
      CheckpointedJournal journal,
      Consumer<String> onRollback,
      Sleeper sleeper) {
    this.checkpoints = checkpoints;
    this.holder = holder;
    this.initialIdentity = initialIdentity;
    this.journal = journal;
    this.onRollback = onRollback;
    this.sleeper = sleeper;
    this.checkpointed = journal.neededFrom();
    this.checkedNanos = sleeper.nanoTime();
  }

  /**
   * A watch for one life.
   *
   * @param initialIdentity the books that this life began with
   * @param onRollback called once, with the reason: nothing more may be admitted
   */
  public static RollbackDetector forEpoch(
      NodeCheckpoints checkpoints,
      LeaseHolder holder,
      LedgerStoreIdentity initialIdentity,
      LocalJournal journal,
      Consumer<String> onRollback) {
    return new RollbackDetector(
        checkpoints, holder, initialIdentity, journal, onRollback, Sleeper.system());
  }

  /** Looks if it is time to. On the settler's thread. */
  public void check() {
    if (reported.get()) {
      return;
    }
    Optional<String> lost = checkpoints.watermark().loss();
    if (lost.isPresent()) {
      report(lost.get());
    } else if (sleeper.nanoTime() - checkedNanos >= CHECK_INTERVAL.toNanos()) {
      checkedNanos = sleeper.nanoTime();
      compare();
    }
  }

  /** When the settler has ended: the books learn the last that is booked. */
  public void checkLast() {
    if (!reported.get()) {
      compare();
    }
  }

  /** Whether that was found. */
  public boolean hasReported() {
    return reported.get();
  }

  private void compare() {
    long from = journal.neededFrom();
    long batches = checkpoints.watermark().batches();
    try {
      NodeCheckpoint checkpoint =
          from > checkpointed
              ? checkpoints.advance(holder, initialIdentity, from)
              : checkpoints.read(holder.node());
      switch (checkpoint.check(holder, initialIdentity, batches)) {
        case CheckpointVerdict.Same _ -> {
          if (from > checkpointed && checkpoint.keptFrom() >= from) {
            checkpointed = from;
            journal.checkpointed(from);
          }
        }
        case CheckpointVerdict.RolledBack(String why) -> report(why);
        case CheckpointVerdict.TakenOver _ -> {} // the next sign of life says so too
      }
    } catch (LedgerStoreException e) {
      log.debug("the books do not say which they are", e);
    }
  }

  private void report(String why) {
    if (reported.compareAndSet(false, true)) {
      onRollback.accept(why);
    }
  }

  /**
   * The books do not let this life spend any more: they went back, another process took over, or
   * they gave it up. Waits a while for their answer.
   */
  public void diagnose(Runnable takenOver, Runnable abandoned) {
    switch (diagnose()) {
      case CheckpointVerdict.RolledBack(String why) -> report(why);
      case CheckpointVerdict.TakenOver _ -> takenOver.run();
      case CheckpointVerdict.Same _ -> abandoned.run();
    }
  }

  private CheckpointVerdict diagnose() {
    for (int i = 0; i < DIAGNOSE_ATTEMPTS_MAX; i++) {
      try {
        long batches =
            checkpoints.watermark().batches(); // before they answer: a batch may come between
        return checkpoints.read(holder.node()).check(holder, initialIdentity, batches);
      } catch (LedgerStoreException e) {
        log.debug("the books do not say which they are", e);
        sleeper.sleep(DIAGNOSE_RETRY);
      }
    }
    // A start finds out; after a restored backup of an older version they cannot even say.
    return new CheckpointVerdict.RolledBack("they do not know this process and do not say why");
  }
}
