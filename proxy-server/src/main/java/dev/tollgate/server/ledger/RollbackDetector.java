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
 * Detector of rollbacks of the ledger store, which checks once a second that the store still has
 * everything it acknowledged to this node. It also checks that the store is the one in which this
 * epoch began, and advances the node's checkpoint there. It runs on the settler's thread, so that
 * no batch is in flight during a check.
 */
public final class RollbackDetector {
  private static final Logger LOG = LoggerFactory.getLogger(RollbackDetector.class);
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

  /** View of the journal that checkpoints need. */
  interface CheckpointedJournal {
    /** Returns the first segment that may contain charges which are not settled. */
    long neededFrom();

    /** Called when the store has recorded a checkpoint. */
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
   * Creates a detector for one epoch.
   *
   * @param initialIdentity the store in which the epoch began
   * @param onRollback called once, with the reason, to stop admission
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

  /** Runs a check if one is due. Called on the settler's thread. */
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

  /** Advances the checkpoint a last time, after the settler has ended. */
  public void checkLast() {
    if (!reported.get()) {
      compare();
    }
  }

  /** True if a rollback was detected. */
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
        case CheckpointVerdict.TakenOver _ -> {} // the next heartbeat detects that, too
      }
    } catch (LedgerStoreException e) {
      LOG.debug("the ledger store's checkpoint cannot be read", e);
    }
  }

  private void report(String why) {
    if (reported.compareAndSet(false, true)) {
      onRollback.accept(why);
    }
  }

  /**
   * Determines why the store fenced this process: a rollback, a newer process of the node, or a
   * release of its leases. Retries for a while until the store answers.
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
            checkpoints.watermark().batches(); // read first: a batch may be acknowledged meanwhile
        return checkpoints.read(holder.node()).check(holder, initialIdentity, batches);
      } catch (LedgerStoreException e) {
        LOG.debug("the ledger store's checkpoint cannot be read", e);
        sleeper.pause(DIAGNOSE_RETRY);
      }
    }
    // The next start finds out. A restored backup with an older schema cannot answer at all.
    return new CheckpointVerdict.RolledBack(
        "the ledger store does not know this process and gives no reason");
  }
}
