package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore;
import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStore.SettleAnswer;
import dev.tollgate.core.ledger.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings charges into the books, whatever it takes: the same ones again while the books cannot be
 * reached, fewer at once where they may be too many for one call, and where some cannot be booked
 * at all, halves and halves of halves, until the one that stands in the way is known: it is booked
 * without its line in the request log, and where that is not what is wrong with it, kept in
 * quarantine.
 */
public final class SettlementWriter {
  private static final Logger log = LoggerFactory.getLogger(SettlementWriter.class);
  private static final Duration BACKOFF_FIRST = Duration.ofMillis(50);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);
  private static final int ATTEMPTS = 2;
  private static final int CALLS_BEFORE_GROWTH = 16;
  private static final int FAILURES_PER_LOG_LINE = 20;

  private final LedgerStore store;
  private final Quarantine quarantine;
  private final Sleeper sleeper;
  private final BatchSize batchSize = new BatchSize();
  private int consecutiveFailures;
  private volatile boolean stopping;

  /** What became of a batch. */
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
   * Books all that an earlier life left; returns early only when stopped.
   *
   * @return how many of the charges went to quarantine
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

  /** Gives up what is not booked yet; it stays where it came from. From any thread. */
  public void stop() {
    stopping = true;
    sleeper.wake();
  }

  /** Every charge of the batch is booked or in quarantine; empty if stopped before. */
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

  /** How many charges go at once. */
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

  /** One of them or more can never be booked. */
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
        log.warn("{} is booked without its line of the log: {}", charge.request(), whyWhole);
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
    log.error(
        "{} cannot be booked and goes to quarantine with {}: {}",
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
      // Still in the journal's kept segments; everything behind it must not wait for it.
      log.error("{} cannot even be kept in quarantine: {}", settlement.request(), reason);
    }
    return !(stored instanceof CallResult.Stopped);
  }

  /** How one call ended, after all its repetitions. */
  private sealed interface CallResult {
    record Done(SettleAnswer answer) implements CallResult {}

    record Poisoned(String why) implements CallResult {}

    /** It may pass, or there was too much in it. */
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
      try {
        SettleAnswer answer = call.run();
        consecutiveFailures = 0;
        return new CallResult.Done(answer);
      } catch (LedgerStoreException e) {
        why = String.valueOf(e.getMessage());
        switch (e.kind()) {
          case POISONED -> {
            consecutiveFailures = 0;
            return new CallResult.Poisoned(why);
          }
          case TRANSIENT -> failures++;
          case UNREACHABLE -> {} // fewer would not get there either
        }
      } catch (RuntimeException e) {
        // Not known to be the charges' fault, so they are not given up for it.
        log.error("charges could not be sent", e);
        why = e.toString();
        failures++;
      }
      failed(why);
    }
    return stopping ? new CallResult.Stopped() : new CallResult.Failed();
  }

  private void failed(String why) {
    consecutiveFailures++;
    Duration backoff = BACKOFF_FIRST.multipliedBy(1L << Math.min(consecutiveFailures - 1, 10));
    backOff(backoff.compareTo(BACKOFF_MAX) < 0 ? backoff : BACKOFF_MAX);
    if (consecutiveFailures % FAILURES_PER_LOG_LINE == 0) {
      log.error("charges wait, {} calls in a row failed: {}", consecutiveFailures, why);
    }
  }

  private void backOff(Duration backoff) {
    long end = sleeper.nanoTime() + backoff.toNanos();
    for (long left = backoff.toNanos(); left > 0 && !stopping; left = end - sleeper.nanoTime()) {
      sleeper.sleep(Duration.ofNanos(left));
    }
  }
}
