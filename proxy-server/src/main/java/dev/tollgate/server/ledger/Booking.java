package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank;
import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Booked;
import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
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
public final class Booking {
  private static final Logger log = LoggerFactory.getLogger(Booking.class);
  private static final Duration BACKOFF_FIRST = Duration.ofMillis(50);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);
  private static final int TRIES = 2;
  private static final int CALLS_BEFORE_MORE = 16;
  private static final int FAILURES_BETWEEN_LINES = 20;

  private final Bank bank;
  private final Quarantine quarantine;
  private final Pauses pauses;
  private final Portion portion = new Portion();
  private int failuresInARow;
  private volatile boolean stopping;

  /** What became of a batch. */
  record Outcome(List<Settlement> booked, List<Granted> overruns, List<Settlement> quarantined) {}

  public Booking(Bank bank, Quarantine quarantine) {
    this(bank, quarantine, Pauses.ofMachine());
  }

  Booking(Bank bank, Quarantine quarantine, Pauses pauses) {
    this.bank = bank;
    this.quarantine = quarantine;
    this.pauses = pauses;
  }

  /**
   * Books all that an earlier life left; returns early only when stopped.
   *
   * @return how many of the charges went to quarantine
   */
  public long bookAll(EarlierLife earlier, int batchMax) {
    long quarantined = 0;
    while (earlier.backlog() > 0 && !stopping) {
      List<Settlement> batch = earlier.unbooked(batchMax);
      Optional<Outcome> outcome = book(earlier.holder(), batch);
      if (outcome.isPresent()) {
        earlier.booked(batch.size());
        quarantined += outcome.get().quarantined().size();
      }
    }
    return quarantined;
  }

  /** Gives up what is not booked yet; it stays where it came from. From any thread. */
  public void stop() {
    stopping = true;
    pauses.wake();
  }

  /** Every charge of the batch is booked or in quarantine; empty if stopped before. */
  Optional<Outcome> book(Holder holder, List<Settlement> batch) {
    Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    return book(holder, batch, outcome) ? Optional.of(outcome) : Optional.empty();
  }

  private boolean book(Holder holder, List<Settlement> batch, Outcome outcome) {
    int from = 0;
    while (from < batch.size()) {
      List<Settlement> next = batch.subList(from, portion.end(from, batch.size()));
      int tries = next.size() == 1 ? Integer.MAX_VALUE : TRIES;
      switch (attempt(tries, () -> bank.settle(holder, next))) {
        case Attempt.Done(Booked booked) -> {
          portion.wasBooked();
          outcome.booked().addAll(next);
          outcome.overruns().addAll(booked.overruns());
        }
        case Attempt.Failed _ -> {
          portion.wasTooMuch(next.size());
          continue;
        }
        case Attempt.Poisoned(String why) -> {
          if (!bookAround(holder, next, why, outcome)) {
            return false;
          }
        }
        case Attempt.Stopped _ -> {
          return false;
        }
      }
      from += next.size();
    }
    return true;
  }

  /** How many charges go at once. */
  private static final class Portion {
    private int most = Integer.MAX_VALUE;
    private int calls;

    int end(int from, int size) {
      return most < size - from ? from + most : size;
    }

    void wasTooMuch(int count) {
      most = count / 2;
      calls = 0;
    }

    void wasBooked() {
      if (++calls == CALLS_BEFORE_MORE) {
        most = most < Integer.MAX_VALUE / 2 ? most * 2 : Integer.MAX_VALUE;
        calls = 0;
      }
    }
  }

  /** One of them or more can never be booked. */
  private boolean bookAround(Holder holder, List<Settlement> batch, String why, Outcome outcome) {
    if (batch.size() == 1) {
      return bookWithoutRow(holder, batch.getFirst(), why, outcome);
    }
    int half = batch.size() / 2;
    return book(holder, batch.subList(0, half), outcome)
        && book(holder, batch.subList(half, batch.size()), outcome);
  }

  private boolean bookWithoutRow(
      Holder holder, Settlement charge, String whyWhole, Outcome outcome) {
    if (charge.row().length == 0) {
      return isolate(holder, charge, whyWhole, outcome);
    }
    return switch (untilKnown(() -> bank.settle(holder, List.of(charge.withoutRow())))) {
      case Attempt.Done(Booked booked) -> {
        log.warn("{} is booked without its line of the log: {}", charge.request(), whyWhole);
        outcome.booked().add(charge);
        outcome.overruns().addAll(booked.overruns());
        yield true;
      }
      case Attempt.Poisoned(String why) -> isolate(holder, charge, why, outcome);
      case Attempt.Failed _, Attempt.Stopped _ -> false;
    };
  }

  private boolean isolate(Holder holder, Settlement settlement, String why, Outcome outcome) {
    outcome.quarantined().add(settlement);
    log.error(
        "{} cannot be booked and goes to quarantine with {}: {}",
        settlement.request(),
        settlement.cost(),
        why);
    Attempt kept =
        untilKnown(
            () -> {
              quarantine.keep(holder, settlement, why);
              return new Booked(List.of());
            });
    if (kept instanceof Attempt.Poisoned(String again)) {
      // Still in the journal's kept segments; everything behind it must not wait for it.
      log.error("{} cannot even be kept in quarantine: {}", settlement.request(), again);
    }
    return !(kept instanceof Attempt.Stopped);
  }

  /** How one call ended, after all its repetitions. */
  private sealed interface Attempt {
    record Done(Booked booked) implements Attempt {}

    record Poisoned(String why) implements Attempt {}

    /** It may pass, or there was too much in it. */
    record Failed() implements Attempt {}

    record Stopped() implements Attempt {}
  }

  @FunctionalInterface
  private interface Call {
    Booked run() throws BankException;
  }

  private Attempt untilKnown(Call call) {
    return attempt(Integer.MAX_VALUE, call);
  }

  private Attempt attempt(int tries, Call call) {
    int failures = 0;
    while (failures < tries && !stopping) {
      String why;
      try {
        Booked booked = call.run();
        failuresInARow = 0;
        return new Attempt.Done(booked);
      } catch (BankException e) {
        why = String.valueOf(e.getMessage());
        switch (e.kind()) {
          case POISONED -> {
            failuresInARow = 0;
            return new Attempt.Poisoned(why);
          }
          case TRANSIENT -> failures++;
          case UNREACHED -> {} // fewer would not get there either
        }
      } catch (RuntimeException e) {
        // Not known to be the charges' fault, so they are not given up for it.
        log.error("charges could not be sent", e);
        why = e.toString();
        failures++;
      }
      failed(why);
    }
    return stopping ? new Attempt.Stopped() : new Attempt.Failed();
  }

  private void failed(String why) {
    failuresInARow++;
    Duration backoff = BACKOFF_FIRST.multipliedBy(1L << Math.min(failuresInARow - 1, 10));
    pause(backoff.compareTo(BACKOFF_MAX) < 0 ? backoff : BACKOFF_MAX);
    if (failuresInARow % FAILURES_BETWEEN_LINES == 0) {
      log.error("charges wait, {} calls in a row failed: {}", failuresInARow, why);
    }
  }

  private void pause(Duration backoff) {
    long end = pauses.nanoTime() + backoff.toNanos();
    for (long left = backoff.toNanos(); left > 0 && !stopping; left = end - pauses.nanoTime()) {
      pauses.await(Duration.ofNanos(left));
    }
  }
}
