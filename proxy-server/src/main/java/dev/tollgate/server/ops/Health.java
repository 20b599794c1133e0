package dev.tollgate.server.ops;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Lifecycle state of this node, which the health routes report: starting, ready, draining or
 * stopped. {@code /readyz} answers 200 in one state only, and only if no readiness check fails.
 */
public final class Health {
  /** Lifecycle states of a node in order; a node never returns to an earlier one. */
  public enum State {
    STARTING,
    READY,
    DRAINING,
    STOPPED;

    private Set<State> next() {
      return switch (this) {
        case STARTING -> Set.of(READY, DRAINING, STOPPED);
        case READY -> Set.of(DRAINING, STOPPED);
        case DRAINING -> Set.of(STOPPED);
        case STOPPED -> Set.of();
      };
    }
  }

  /** Result of a requested change of state. */
  public sealed interface Transition {
    record Made() implements Transition {}

    record Illegal(State from) implements Transition {}
  }

  private State state = State.STARTING;
  private volatile Supplier<Optional<String>> obstacle = Optional::empty;

  public synchronized State state() {
    return state;
  }

  /**
   * Adds a check that can keep a node from being ready; it returns a reason, or empty while it
   * passes.
   */
  public synchronized void addReadinessCheck(Supplier<Optional<String>> check) {
    Supplier<Optional<String>> before = obstacle;
    obstacle = () -> before.get().or(check);
  }

  public boolean isReady() {
    return state() == State.READY && obstacle.get().isEmpty();
  }

  /** Returns the state in one word, or the reason of a failed readiness check. */
  public String statusText() {
    State now = state();
    String word = now.name().toLowerCase(Locale.ROOT);
    return now == State.READY ? obstacle.get().orElse(word) : word;
  }

  /**
   * Changes the state to {@code next} if that is legal: a drain requested while starting stays a
   * drain.
   */
  public synchronized Transition transitionTo(State next) {
    if (!state.next().contains(next)) {
      return new Transition.Illegal(state);
    }
    state = next;
    return new Transition.Made();
  }
}
