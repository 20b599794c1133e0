package dev.tollgate.server.ops;

import java.util.Set;

/** Where this node is between start and stop; {@code /readyz} says 200 in one state only. */
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

  public synchronized State state() {
    return state;
  }

  public boolean isReady() {
    return state() == State.READY;
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
