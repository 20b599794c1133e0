package dev.tollgate.server.ops;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where this node is between start and stop; {@code /readyz} says 200 in one state only, and not
 * while something of its own keeps it from serving.
 */
public final class Health {
  /** The states in their order; a node never goes back. */
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

  /** What came of asking for another state. */
  public sealed interface Transition {
    record Made() implements Transition {}

    record Illegal(State from) implements Transition {}
  }

  private State state = State.STARTING;
  private volatile Supplier<Optional<String>> obstacle = Optional::empty;

  public synchronized State state() {
    return state;
  }

  /** Adds a check that can keep a node from being ready; empty while it passes. */
  public synchronized void addReadinessCheck(Supplier<Optional<String>> check) {
    Supplier<Optional<String>> before = obstacle;
    obstacle = () -> before.get().or(check);
  }

  public boolean isReady() {
    return state() == State.READY && obstacle.get().isEmpty();
  }

  /** The state in a word, or what is in the way. */
  public String statusText() {
    State now = state();
    String word = now.name().toLowerCase(Locale.ROOT);
    return now == State.READY ? obstacle.get().orElse(word) : word;
  }

  /** Goes to {@code next} where that is legal: a drain asked for while starting stays a drain. */
  public synchronized Transition transitionTo(State next) {
    if (!state.next().contains(next)) {
      return new Transition.Illegal(state);
    }
    state = next;
    return new Transition.Made();
  }
}
