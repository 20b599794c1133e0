package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Circuit breaker of one provider at one upstream endpoint. It opens when failures outnumber
 * successes, and closes when one probe succeeds. Every permit carries the generation of the state
 * that granted it, and an outcome of another generation is ignored. A probe is a lease: it expires,
 * so that a missing outcome never blocks the circuit. Shared by all loops: one atomic reference to
 * an immutable state, and two counters.
 */
public final class Breaker {
  private static final int SPREAD_PERCENT = 20;

  private final AtomicReference<State> state =
      new AtomicReference<>(new State.Closed(0, List.of()));
  private final AtomicLong verdicts = new AtomicLong();
  private final AtomicLong openings = new AtomicLong();

  /**
   * Permit of the breaker for one attempt.
   *
   * @param probe 0, or the number of the probe of an open circuit
   */
  public record Permit(long generation, int probe) {}

  /** State of the breaker. */
  public sealed interface State {
    /**
     * Number of transitions so far; an outcome counts only for the generation that permitted its
     * attempt.
     */
    long generation();

    /** All attempts are permitted; {@code failures} are the latest ones within the window. */
    record Closed(long generation, List<Failure> failures) implements State {
      public Closed {
        failures = List.copyOf(failures);
      }
    }

    /** No attempt is permitted until {@code untilNanos}. */
    record Open(long generation, long untilNanos, long openForNanos) implements State {}

    /**
     * One attempt, the probe, is permitted; if it reports no outcome until the lease expires,
     * another one is.
     */
    record HalfOpen(long generation, int probe, long expiresNanos, long openForNanos)
        implements State {}
  }

  /**
   * A failure within the window.
   *
   * @param verdicts number of outcomes up to and including this one
   */
  public record Failure(long atNanos, long verdicts) {}

  public State state() {
    return Objects.requireNonNull(state.get());
  }

  /** Returns how often the circuit opened. */
  public long openings() {
    return openings.get();
  }

  /** Returns the nanoseconds until an attempt may be permitted; 0 means at once. */
  public long waitNanos(long nowNanos) {
    return switch (state()) {
      case State.Closed _ -> 0;
      case State.Open open -> Math.max(0, open.untilNanos() - nowNanos);
      case State.HalfOpen half -> Math.max(0, half.expiresNanos() - nowNanos);
    };
  }

  /** Acquires a permit for one attempt, whose outcome is to be reported once. */
  public Optional<Permit> tryAcquire(CircuitOptions rules, long nowNanos) {
    while (true) {
      State now = state();
      switch (now) {
        case State.Closed closed -> {
          return Optional.of(new Permit(closed.generation(), 0));
        }
        case State.Open open -> {
          if (nowNanos - open.untilNanos() < 0) {
            return Optional.empty();
          }
        }
        case State.HalfOpen half -> {
          if (nowNanos - half.expiresNanos() < 0) {
            return Optional.empty();
          }
        }
      }
      State.HalfOpen probing = probing(now, rules, nowNanos);
      if (state.compareAndSet(now, probing)) {
        return Optional.of(new Permit(probing.generation(), probing.probe()));
      }
    }
  }

  private static State.HalfOpen probing(State from, CircuitOptions rules, long nowNanos) {
    int probe = from instanceof State.HalfOpen half ? half.probe() + 1 : 1;
    long expires = nowNanos + rules.openForMax().toNanos();
    return new State.HalfOpen(from.generation(), probe, expires, openFor(from));
  }

  private static long openFor(State state) {
    return switch (state) {
      case State.Closed _ -> 0;
      case State.Open open -> open.openForNanos();
      case State.HalfOpen half -> half.openForNanos();
    };
  }

  /**
   * Reports success. A probe that succeeds after its lease expired, while the next probe is still
   * running, closes the circuit too: a slow provider could never recover otherwise.
   */
  public void succeeded(Permit permit) {
    verdicts.incrementAndGet();
    State now = state();
    while (permit.probe() > 0
        && now instanceof State.HalfOpen
        && now.generation() == permit.generation()) {
      if (state.compareAndSet(now, new State.Closed(now.generation() + 1, List.of()))) {
        return;
      }
      now = state();
    }
  }

  /** Reports a failure that is the provider's fault. Returns true if it opened a closed circuit. */
  public boolean failed(Permit permit, CircuitOptions rules, long nowNanos) {
    long count = verdicts.incrementAndGet();
    while (true) {
      State now = state();
      if (now.generation() != permit.generation()) {
        return false;
      }
      State next =
          switch (now) {
            case State.Closed closed -> failedWhileClosed(closed, rules, nowNanos, count);
            case State.HalfOpen half -> open(half, rules, 2 * half.openForNanos(), nowNanos);
            case State.Open open -> open;
          };
      if (isExpired(permit, now)) {
        return false;
      }
      if (state.compareAndSet(now, next)) {
        return isOpening(now, next);
      }
    }
  }

  private static boolean isExpired(Permit permit, State now) {
    return switch (now) {
      case State.Closed _ -> false;
      case State.HalfOpen half -> half.probe() != permit.probe();
      case State.Open _ -> true;
    };
  }

  private boolean isOpening(State before, State after) {
    boolean opening = after instanceof State.Open;
    if (opening) {
      openings.incrementAndGet();
    }
    return opening && before instanceof State.Closed;
  }

  private static State failedWhileClosed(
      State.Closed closed, CircuitOptions rules, long nowNanos, long count) {
    List<Failure> recent = new ArrayList<>();
    int kept = Math.min(closed.failures().size(), rules.failures() - 1);
    List<Failure> last =
        closed.failures().subList(closed.failures().size() - kept, closed.failures().size());
    for (Failure failure : last) {
      if (nowNanos - failure.atNanos() <= rules.window().toNanos()) {
        recent.add(failure);
      }
    }
    recent.add(new Failure(nowNanos, count));
    // At high load some failures are always within the window: they trip the circuit only if they
    // are at least half of all outcomes since the first of them.
    long outcomes = count - recent.getFirst().verdicts() + 1;
    boolean trips = recent.size() >= rules.failures() && outcomes <= 2L * recent.size();
    return trips
        ? open(closed, rules, rules.openFor().toNanos(), nowNanos)
        : new State.Closed(closed.generation(), recent);
  }

  /**
   * Opens the circuit for a time that is spread, so that nodes and providers that failed together
   * are not probed together.
   */
  private static State open(State from, CircuitOptions rules, long requested, long nowNanos) {
    long openFor = Math.min(requested, rules.openForMax().toNanos());
    long generation = from.generation() + 1;
    long spread = StableHash.percent(generation ^ nowNanos, SPREAD_PERCENT);
    return new State.Open(generation, nowNanos + openFor * (100 - spread) / 100, openFor);
  }

  /**
   * Reports an outcome that does not show the provider's health; the next request may be the probe.
   */
  public void neutral(Permit permit, long nowNanos) {
    State now = state();
    while (now instanceof State.HalfOpen half
        && half.generation() == permit.generation()
        && half.probe() == permit.probe()) {
      State.HalfOpen free =
          new State.HalfOpen(half.generation(), half.probe(), nowNanos, half.openForNanos());
      if (state.compareAndSet(now, free)) {
        return;
      }
      now = state();
    }
  }
}
