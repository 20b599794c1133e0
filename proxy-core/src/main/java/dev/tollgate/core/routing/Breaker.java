package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A circuit breaker: it opens when failures outnumber successes, and closes when one probe
 * succeeds. Every permit carries the generation of the state that gave it, and the verdict of
 * another generation is ignored. A probe is a lease: it expires, so that a verdict that never comes
 * wedges nothing. Shared by all loops: one atomic reference to an immutable state, and a counter.
 */
public final class Breaker {
  private static final int SPREAD_PERCENT = 20;

  private final AtomicReference<State> state =
      new AtomicReference<>(new State.Closed(0, List.of()));
  private final AtomicLong verdicts = new AtomicLong();
  private final AtomicLong openings = new AtomicLong();

  /**
   * The right to one try.
   *
   * @param probe 0, or the number of the probe of an open circuit
   */
  public record Permit(long generation, int probe) {}

  /** What the breaker is now. */
  public sealed interface State {
    /** Counts transitions; a verdict counts only for the generation that permitted its try. */
    long generation();

    /** Everybody may try; {@code failures} are the last ones within the window. */
    record Closed(long generation, List<Failure> failures) implements State {
      public Closed {
        failures = List.copyOf(failures);
      }
    }

    /** Nobody may try until then. */
    record Open(long generation, long untilNanos, long openForNanos) implements State {}

    /** One may try; if nothing is heard of it until the lease expires, another one may. */
    record HalfOpen(long generation, int probe, long expiresNanos, long openForNanos)
        implements State {}
  }

  /**
   * One failure.
   *
   * @param verdicts how many outcomes there were up to it
   */
  public record Failure(long atNanos, long verdicts) {}

  public State state() {
    return Objects.requireNonNull(state.get());
  }

  /** How often it opened. */
  public long openings() {
    return openings.get();
  }

  /** Nanoseconds until a try may be permitted; 0: at once. */
  public long waitNanos(long nowNanos) {
    return switch (state()) {
      case State.Closed _ -> 0;
      case State.Open open -> Math.max(0, open.untilNanos() - nowNanos);
      case State.HalfOpen half -> Math.max(0, half.expiresNanos() - nowNanos);
    };
  }

  /** Asks for a try; its verdict is to be told once. */
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
   * The try went well. A probe that answers after its lease expired, while the next one is still
   * out, is good news all the same: a slow provider could never come back otherwise.
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

  /** The try failed, and the provider is to blame. Says whether that opened the circuit anew. */
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
    // At high load some failures are always within the window: they count where they are at least
    // half of what happened since the first of them.
    long outcomes = count - recent.getFirst().verdicts() + 1;
    boolean trips = recent.size() >= rules.failures() && outcomes <= 2L * recent.size();
    return trips
        ? open(closed, rules, rules.openFor().toNanos(), nowNanos)
        : new State.Closed(closed.generation(), recent);
  }

  /** The circuits of many nodes and providers that failed together are not probed together. */
  private static State open(State from, CircuitOptions rules, long requested, long nowNanos) {
    long openFor = Math.min(requested, rules.openForMax().toNanos());
    long generation = from.generation() + 1;
    long spread = StableHash.percent(generation ^ nowNanos, SPREAD_PERCENT);
    return new State.Open(generation, nowNanos + openFor * (100 - spread) / 100, openFor);
  }

  /** The try said nothing about the provider; a probe's place is free again. */
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
