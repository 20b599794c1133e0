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
  public sealed interface Change {
    record Made() implements Change {}

    record Illegal(State from) implements Change {}
  }

  private State state = State.STARTING;
  private volatile Supplier<Optional<String>> obstacle = Optional::empty;

  public synchronized State state() {
    return state;
  }

  /** Adds what can keep a node from serving although it runs; it is empty while nothing does. */
  public synchronized void heed(Supplier<Optional<String>> mayObstruct) {
    Supplier<Optional<String>> before = obstacle;
    obstacle = () -> before.get().or(mayObstruct);
  }

  public boolean isReady() {
    return state() == State.READY && obstacle.get().isEmpty();
  }

  /** The state in a word, or what is in the way. */
  public String told() {
    State now = state();
    String word = now.name().toLowerCase(Locale.ROOT);
    return now == State.READY ? obstacle.get().orElse(word) : word;
  }

  /** Goes to {@code next} where that is legal: a drain asked for while starting stays a drain. */
  public synchronized Change become(State next) {
    if (!state.next().contains(next)) {
      return new Change.Illegal(state);
    }
    state = next;
    return new Change.Made();
  }
}
