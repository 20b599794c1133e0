package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Circuit breaker of an endpoint, of a model there, or of one organization at a model. Its rule
 * decides which failures open it; one probe that succeeds closes it. Every permit carries the
 * generation of the state that granted it, and an outcome of another generation is ignored. A probe
 * is a lease: it expires, so that a missing outcome never blocks the circuit. Organizations that
 * were served have a few extra probes, whose failure decides nothing. Shared by all loops: one
 * atomic reference to an immutable state, some numbers, and the counts of the rule.
 */
public final class Breaker {
  /** Extra probes from one opening to the next. */
  static final int EXTRA_PROBES_MAX = 4;

  private static final int SPREAD_PERCENT = 20;
  private static final int EXTRA = -1;

  private final TripRule rule;
  private final AtomicReference<State> state =
      new AtomicReference<>(new State.Closed(0, List.of()));
  private final AtomicLong openings;

  /** Generation in which an organization other than the one that failed last asked. */
  private volatile long askedByOthers = -1;

  /** Generation in which an organization asked that is not failing. */
  private volatile long askedByNotFailing = -1;

  Breaker(TripRule rule) {
    this(rule, new AtomicLong());
  }

  /**
   * @param openings counter that circuits may share
   */
  Breaker(TripRule rule, AtomicLong openings) {
    this.rule = rule;
    this.openings = openings;
  }

  /**
   * Permit of the breaker for one attempt.
   *
   * @param probe 0, or of an open circuit the number of the probe, or below 0 an extra one
   */
  public record Permit(long generation, int probe) {
    boolean isProbe() {
      return probe != 0;
    }

    boolean isExtra() {
      return probe < 0;
    }
  }

  /** State of the breaker. */
  public sealed interface State {
    /**
     * Number of transitions so far; an outcome counts only for the generation that permitted its
     * attempt.
     */
    long generation();

    /** All attempts are permitted; {@code failures} are the ones that the rule remembers. */
    record Closed(long generation, List<Failure> failures) implements State {
      public Closed {
        failures = List.copyOf(failures);
      }
    }

    /**
     * State of a circuit that permits one attempt at a time, the probe, when it is due, and a few
     * extra ones.
     */
    sealed interface Tripped extends State {
      /** Time from which on a probe is permitted. */
      long dueNanos();

      long openForNanos();

      /** Organization whose failure opened the circuit, or whose probe failed last. */
      OrgId failedLast();

      /** Number of extra probes since it opened. */
      int extraProbes();

      Tripped withExtraProbe();
    }

    /** No attempt is permitted until the first probe is due. */
    record Open(
        long generation, long dueNanos, long openForNanos, OrgId failedLast, int extraProbes)
        implements Tripped {
      @Override
      public Open withExtraProbe() {
        return new Open(generation, dueNanos, openForNanos, failedLast, extraProbes + 1);
      }
    }

    /** A probe is running; if it reports no outcome, the next one is due at {@code dueNanos}. */
    record HalfOpen(
        long generation,
        int probe,
        long dueNanos,
        long openForNanos,
        OrgId failedLast,
        int extraProbes)
        implements Tripped {
      @Override
      public HalfOpen withExtraProbe() {
        return new HalfOpen(generation, probe, dueNanos, openForNanos, failedLast, extraProbes + 1);
      }
    }
  }

  /**
   * A failure within the window.
   *
   * @param outcomes number of outcomes up to and including this one; 0 if the rule counts them by
   *     time
   */
  public record Failure(OrgId org, long atNanos, long outcomes) {}

  public State state() {
    return Objects.requireNonNull(state.get());
  }

  /** True if all attempts are permitted. */
  public boolean isClosed() {
    return state() instanceof State.Closed;
  }

  /** Returns how often the circuit opened. */
  public long openings() {
    return openings.get();
  }

  /** Returns the nanoseconds until a probe is due; 0 if all attempts are permitted. */
  public long waitNanos(long nowNanos) {
    return state() instanceof State.Tripped tripped
        ? Math.max(0, tripped.dueNanos() - nowNanos)
        : 0;
  }

  /**
   * Returns the nanoseconds until an attempt of an organization may be permitted; 0 means at once.
   * The request counts as asking for the probe.
   */
  public long ask(OrgId org, CircuitOptions rules, long nowNanos) {
    return ask(org, LatestOutcome.UNKNOWN, rules, nowNanos);
  }

  long ask(OrgId org, LatestOutcome latest, CircuitOptions rules, long nowNanos) {
    if (!(state() instanceof State.Tripped tripped)) {
      return 0;
    }
    long wait = Math.max(0, dueNanos(tripped, org, latest, rules) - nowNanos);
    return hasExtraProbe(tripped, latest) ? 0 : wait;
  }

  private static boolean hasExtraProbe(State.Tripped now, LatestOutcome latest) {
    return latest == LatestOutcome.SUCCESS && now.extraProbes() < EXTRA_PROBES_MAX;
  }

  /**
   * Returns when an organization may probe. The one whose request failed last may be the cause, and
   * so may each that is failing: if others asked since, they come first, for as long as a probe may
   * take.
   */
  private long dueNanos(State.Tripped now, OrgId org, LatestOutcome latest, CircuitOptions rules) {
    long generation = now.generation();
    boolean last = org.equals(now.failedLast());
    boolean failing = latest == LatestOutcome.FAILURE;
    if (!last && askedByOthers != generation) {
      askedByOthers = generation;
    }
    if (!last && !failing && askedByNotFailing != generation) {
      askedByNotFailing = generation;
    }
    boolean yields =
        (last && askedByOthers == generation) || (failing && askedByNotFailing == generation);
    return yields ? now.dueNanos() + rules.openForMax().toNanos() : now.dueNanos();
  }

  /** Acquires a permit for one attempt of an organization, whose outcome is to be reported once. */
  public Optional<Permit> tryAcquire(OrgId org, CircuitOptions rules, long nowNanos) {
    return tryAcquire(org, LatestOutcome.UNKNOWN, rules, nowNanos);
  }

  Optional<Permit> tryAcquire(
      OrgId org, LatestOutcome latest, CircuitOptions rules, long nowNanos) {
    while (true) {
      switch (state()) {
        case State.Closed closed -> {
          return Optional.of(new Permit(closed.generation(), 0));
        }
        case State.Tripped tripped -> {
          if (nowNanos - dueNanos(tripped, org, latest, rules) >= 0) {
            State.HalfOpen probing = probing(tripped, rules, nowNanos);
            if (state.compareAndSet(tripped, probing)) {
              return Optional.of(new Permit(probing.generation(), probing.probe()));
            }
          } else if (!hasExtraProbe(tripped, latest)) {
            return Optional.empty();
          } else if (state.compareAndSet(tripped, tripped.withExtraProbe())) {
            return Optional.of(new Permit(tripped.generation(), EXTRA));
          }
        }
      }
    }
  }

  private static State.HalfOpen probing(State.Tripped from, CircuitOptions rules, long nowNanos) {
    int probe = from instanceof State.HalfOpen half ? half.probe() + 1 : 1;
    long expires = nowNanos + rules.openForMax().toNanos();
    return new State.HalfOpen(
        from.generation(),
        probe,
        expires,
        from.openForNanos(),
        from.failedLast(),
        from.extraProbes());
  }

  /**
   * Reports success. A probe that succeeds after its lease expired, while the next probe is still
   * running, closes the circuit too: a slow provider could never recover otherwise. An extra probe
   * closes it however late it succeeds.
   */
  public void succeeded(Permit permit, CircuitOptions rules, long nowNanos) {
    rule.succeeded(rules, nowNanos);
    State now = state();
    while ((permit.isExtra() && now instanceof State.Tripped)
        || (permit.isProbe()
            && now instanceof State.HalfOpen
            && now.generation() == permit.generation())) {
      if (state.compareAndSet(now, new State.Closed(now.generation() + 1, List.of()))) {
        return;
      }
      now = state();
    }
  }

  /** Reports a failure that is the provider's fault. Returns true if it opened a closed circuit. */
  public boolean failed(Permit permit, OrgId org, CircuitOptions rules, long nowNanos) {
    Failure failure = rule.failed(org, nowNanos);
    while (true) {
      State now = state();
      if (now.generation() != permit.generation() || isExpired(permit, now)) {
        return false;
      }
      State next =
          switch (now) {
            case State.Closed closed -> failedWhileClosed(closed, failure, rules);
            case State.Tripped half -> open(half, failure, rules, 2 * half.openForNanos());
          };
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

  private State failedWhileClosed(State.Closed closed, Failure failure, CircuitOptions rules) {
    List<Failure> failures = rule.add(closed.failures(), failure, rules);
    return rule.trips(failures, rules)
        ? open(closed, failure, rules, rules.openFor().toNanos())
        : new State.Closed(closed.generation(), failures);
  }

  /**
   * Opens the circuit for a time that is spread, so that nodes and providers that failed together
   * are not probed together.
   */
  private static State open(State from, Failure failure, CircuitOptions rules, long requested) {
    long openFor = Math.min(requested, rules.openForMax().toNanos());
    long generation = from.generation() + 1;
    long now = failure.atNanos();
    long spread = StableHash.percent(generation ^ now, SPREAD_PERCENT);
    long due = now + openFor * (100 - spread) / 100;
    return new State.Open(generation, due, openFor, failure.org(), 0);
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
          new State.HalfOpen(
              half.generation(),
              half.probe(),
              nowNanos,
              half.openForNanos(),
              half.failedLast(),
              half.extraProbes());
      if (state.compareAndSet(now, free)) {
        return;
      }
      now = state();
    }
  }

  /** True if the circuit is as if it had never been used: closed, and no failure is recent. */
  boolean isUnused(CircuitOptions rules, long nowNanos) {
    return state() instanceof State.Closed closed
        && closed.failures().stream()
            .allMatch(one -> nowNanos - one.atNanos() > rules.window().toNanos());
  }
}
