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
 * reached, and where some cannot be booked at all, halves and halves of halves, until the one that
 * stands in the way is known: it is booked without its line in the request log, and where that is
 * not what is wrong with it, kept in quarantine.
 */
public final class Booking {
  private static final Logger log = LoggerFactory.getLogger(Booking.class);
  private static final Duration BACKOFF_FIRST = Duration.ofMillis(50);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);

  private final Bank bank;
  private final Quarantine quarantine;
  private final Pauses pauses;
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

  /** Books all that an earlier life left; returns early only when stopped. */
  public void bookAll(EarlierLife earlier, int batchMax) {
    while (earlier.backlog() > 0 && !stopping) {
      List<Settlement> batch = earlier.unbooked(batchMax);
      if (book(earlier.holder(), batch).isPresent()) {
        earlier.booked(batch.size());
      }
    }
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
    return switch (attempt(() -> bank.settle(holder, batch))) {
      case Attempt.Done(Booked booked) -> {
        outcome.booked().addAll(batch);
        outcome.overruns().addAll(booked.overruns());
        yield true;
      }
      case Attempt.Poisoned(String why) when batch.size() == 1 ->
          bookWithoutRow(holder, batch.getFirst(), why, outcome);
      case Attempt.Poisoned _ -> {
        int half = batch.size() / 2;
        yield book(holder, batch.subList(0, half), outcome)
            && book(holder, batch.subList(half, batch.size()), outcome);
      }
      case Attempt.Stopped _ -> false;
    };
  }

  private boolean bookWithoutRow(
      Holder holder, Settlement charge, String whyWhole, Outcome outcome) {
    if (charge.row().length == 0) {
      return isolate(holder, charge, whyWhole, outcome);
    }
    return switch (attempt(() -> bank.settle(holder, List.of(charge.withoutRow())))) {
      case Attempt.Done(Booked booked) -> {
        log.warn("{} is booked without its line of the log: {}", charge.request(), whyWhole);
        outcome.booked().add(charge);
        outcome.overruns().addAll(booked.overruns());
        yield true;
      }
      case Attempt.Poisoned(String why) -> isolate(holder, charge, why, outcome);
      case Attempt.Stopped _ -> false;
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
        attempt(
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

    record Stopped() implements Attempt {}
  }

  @FunctionalInterface
  private interface Call {
    Booked run() throws BankException;
  }

  private Attempt attempt(Call call) {
    Duration backoff = BACKOFF_FIRST;
    while (!stopping) {
      String why;
      try {
        return new Attempt.Done(call.run());
      } catch (BankException e) {
        why = String.valueOf(e.getMessage());
        if (e.kind() == BankException.Kind.POISONED) {
          return new Attempt.Poisoned(why);
        }
      } catch (RuntimeException e) {
        // Not known to be the charges' fault, so they are not given up for it.
        log.error("charges could not be sent", e);
        why = e.toString();
      }
      log.debug("charges are sent again in {}: {}", backoff, why);
      pause(backoff);
      backoff =
          backoff.multipliedBy(2).compareTo(BACKOFF_MAX) < 0
              ? backoff.multipliedBy(2)
              : BACKOFF_MAX;
    }
    return new Attempt.Stopped();
  }

  private void pause(Duration backoff) {
    long end = pauses.nanoTime() + backoff.toNanos();
    for (long left = backoff.toNanos(); left > 0 && !stopping; left = end - pauses.nanoTime()) {
      pauses.await(Duration.ofNanos(left));
    }
  }
}
