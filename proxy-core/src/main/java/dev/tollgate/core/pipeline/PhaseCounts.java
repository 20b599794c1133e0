package dev.tollgate.core.pipeline;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts of one event loop's client connections by {@link ClientConnection.ConnectionPhase phase}.
 * Only the loop writes, so a count needs no atomic addition; any thread may read.
 */
@SuppressWarnings("EnumOrdinal") // an index that is never stored
final class PhaseCounts {
  private final AtomicIntegerArray counts =
      new AtomicIntegerArray(ClientConnection.ConnectionPhase.values().length);

  void enter(ClientConnection.ConnectionPhase phase) {
    add(phase, 1);
  }

  void leave(ClientConnection.ConnectionPhase phase) {
    add(phase, -1);
  }

  int of(ClientConnection.ConnectionPhase phase) {
    return counts.get(phase.ordinal());
  }

  private void add(ClientConnection.ConnectionPhase phase, int change) {
    int i = phase.ordinal();
    counts.setRelease(i, counts.getPlain(i) + change);
  }
}
