package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.SettleAnswer;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.outage.StoreOutage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of batches of charges to the ledger store, which retries until each charge is settled or
 * quarantined. While the store cannot be reached, a batch is repeated; if it may be too large for
 * one call, it is reduced; if the store rejects it, it is bisected until the rejected charge is
 * found. That charge is settled without its request log row, or, if it is still rejected, put into
 * quarantine.
 */
public final class SettlementWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SettlementWriter.class);
  private static final Duration BACKOFF_FIRST = Duration.ofMillis(50);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);
  private static final int ATTEMPTS = 2;
  private static final int CALLS_BEFORE_GROWTH = 16;

  /** Other failures than those of an outage pass with the next call or two. */
  private static final int FAILURES_BEFORE_LOG_LINE = 20;

  private final LedgerStore store;
  private final Quarantine quarantine;
  private final Sleeper sleeper;
  private final BatchSize batchSize = new BatchSize();
  private final StoreOutage outage = new StoreOutage(LOG, "charges");
  private int consecutiveFailures;
  private volatile boolean stopping;

  /** Outcome of writing a batch of charges. */
  record BatchOutcome(
      List<Settlement> settled, List<LeaseGrowth> overruns, List<Settlement> quarantined) {}

  public SettlementWriter(LedgerStore store, Quarantine quarantine) {
    this(store, quarantine, Sleeper.system());
  }

  SettlementWriter(LedgerStore store, Quarantine quarantine, Sleeper sleeper) {
    this.store = store;
    this.quarantine = quarantine;
    this.sleeper = sleeper;
  }

  /**
   * Settles all charges of a previous epoch; returns early only when stopped.
   *
   * @return the number of charges that were put into quarantine
   */
  public long settleAll(PreviousEpochJournal journal, int batchMax) {
    long quarantined = 0;
    while (journal.backlog() > 0 && !stopping) {
      List<Settlement> batch = journal.unsettled(batchMax);
      Optional<BatchOutcome> outcome = settle(journal.holder(), batch);
      if (outcome.isPresent()) {
        journal.settled(batch.size());
        quarantined += outcome.get().quarantined().size();
      }
    }
    return quarantined;
  }

  /** Returns whether the store can be reached, as the writer knows. */
  StoreOutage outage() {
    return outage;
  }

  /** Stops retrying; charges that are not settled stay in their source. Safe on any thread. */
  public void stop() {
    stopping = true;
    sleeper.wake();
  }

  /**
   * Settles a batch or puts charges of it into quarantine; empty if stopped before every charge was
   * handled.
   */
  Optional<BatchOutcome> settle(LeaseHolder holder, List<Settlement> batch) {
    BatchOutcome outcome =
        new BatchOutcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    return settle(holder, batch, outcome) ? Optional.of(outcome) : Optional.empty();
  }

  private boolean settle(LeaseHolder holder, List<Settlement> batch, BatchOutcome outcome) {
    int from = 0;
    while (from < batch.size()) {
      List<Settlement> next = batch.subList(from, batchSize.end(from, batch.size()));
      int attempts = next.size() == 1 ? Integer.MAX_VALUE : ATTEMPTS;
      switch (attempt(attempts, () -> store.settle(holder, next))) {
        case CallResult.Done(SettleAnswer answer) -> {
          batchSize.grow();
          outcome.settled().addAll(next);
          outcome.overruns().addAll(answer.overruns());
        }
        case CallResult.Failed _ -> {
          batchSize.shrink(next.size());
          continue;
        }
        case CallResult.Poisoned(String why) -> {
          if (!bisect(holder, next, why, outcome)) {
            return false;
          }
        }
        case CallResult.Stopped _ -> {
          return false;
        }
      }
      from += next.size();
    }
    return true;
  }

  /** Maximum size of batches, adapted to failures. */
  private static final class BatchSize {
    private int max = Integer.MAX_VALUE;
    private int calls;

    int end(int from, int size) {
      return max < size - from ? from + max : size;
    }

    void shrink(int count) {
      max = count / 2;
      calls = 0;
    }

    void grow() {
      if (++calls == CALLS_BEFORE_GROWTH) {
        max = max < Integer.MAX_VALUE / 2 ? max * 2 : Integer.MAX_VALUE;
        calls = 0;
      }
    }
  }

  /** Splits a batch of which at least one charge is rejected. */
  private boolean bisect(
      LeaseHolder holder, List<Settlement> batch, String why, BatchOutcome outcome) {
    if (batch.size() == 1) {
      return settleWithoutRow(holder, batch.getFirst(), why, outcome);
    }
    int half = batch.size() / 2;
    return settle(holder, batch.subList(0, half), outcome)
        && settle(holder, batch.subList(half, batch.size()), outcome);
  }

  private boolean settleWithoutRow(
      LeaseHolder holder, Settlement charge, String whyWhole, BatchOutcome outcome) {
    if (charge.row().length == 0) {
      return isolate(holder, charge, whyWhole, outcome);
    }
    return switch (retryUntilKnown(() -> store.settle(holder, List.of(charge.withoutRow())))) {
      case CallResult.Done(SettleAnswer answer) -> {
        LOG.warn("{} is settled without its request log row: {}", charge.request(), whyWhole);
        outcome.settled().add(charge);
        outcome.overruns().addAll(answer.overruns());
        yield true;
      }
      case CallResult.Poisoned(String why) -> isolate(holder, charge, why, outcome);
      case CallResult.Failed _, CallResult.Stopped _ -> false;
    };
  }

  private boolean isolate(
      LeaseHolder holder, Settlement settlement, String why, BatchOutcome outcome) {
    outcome.quarantined().add(settlement);
    LOG.error(
        "{} cannot be settled and is put into quarantine with {}: {}",
        settlement.request(),
        settlement.cost(),
        why);
    CallResult stored =
        retryUntilKnown(
            () -> {
              quarantine.add(holder, settlement, why);
              return new SettleAnswer(List.of());
            });
    if (stored instanceof CallResult.Poisoned(String reason)) {
      // The charge stays in the retained segments of the journal; those behind it must not wait.
      LOG.error("{} cannot be put into quarantine: {}", settlement.request(), reason);
    }
    return !(stored instanceof CallResult.Stopped);
  }

  /** Result of one call after all its retries. */
  private sealed interface CallResult {
    record Done(SettleAnswer answer) implements CallResult {}

    record Poisoned(String why) implements CallResult {}

    /** The call failed; a retry or a smaller batch may succeed. */
    record Failed() implements CallResult {}

    record Stopped() implements CallResult {}
  }

  @FunctionalInterface
  private interface Call {
    SettleAnswer run() throws LedgerStoreException;
  }

  private CallResult retryUntilKnown(Call call) {
    return attempt(Integer.MAX_VALUE, call);
  }

  private CallResult attempt(int attempts, Call call) {
    int failures = 0;
    while (failures < attempts && !stopping) {
      String why;
      long begunNanos = System.nanoTime();
      try {
        SettleAnswer answer = call.run();
        succeeded(begunNanos);
        return new CallResult.Done(answer);
      } catch (LedgerStoreException e) {
        why = String.valueOf(e.getMessage());
        switch (e.kind()) {
          case POISONED -> {
            succeeded(begunNanos); // the store answered
            return new CallResult.Poisoned(why);
          }
          case TRANSIENT -> failures++;
          case UNREACHABLE -> outage.begin(why); // a smaller batch would not help
        }
      } catch (RuntimeException e) {
        // The charges may not be the cause, so they are retried.
        LOG.error("charges could not be sent", e);
        why = e.toString();
        failures++;
      }
      failed(why);
    }
    return stopping ? new CallResult.Stopped() : new CallResult.Failed();
  }

  private void succeeded(long begunNanos) {
    consecutiveFailures = 0;
    outage.succeeded(begunNanos);
  }

  private void failed(String why) {
    consecutiveFailures++;
    if (consecutiveFailures >= FAILURES_BEFORE_LOG_LINE) {
      outage.begin(why);
    }
    Duration backoff = BACKOFF_FIRST.multipliedBy(1L << Math.min(consecutiveFailures - 1, 10));
    backOff(backoff.compareTo(BACKOFF_MAX) < 0 ? backoff : BACKOFF_MAX);
  }

  private void backOff(Duration backoff) {
    long end = sleeper.nanoTime() + backoff.toNanos();
    for (long left = backoff.toNanos(); left > 0 && !stopping; left = end - sleeper.nanoTime()) {
      sleeper.pause(Duration.ofNanos(left));
    }
  }
}
