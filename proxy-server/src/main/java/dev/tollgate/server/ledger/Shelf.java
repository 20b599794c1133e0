package dev.tollgate.server.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The segments of this life that recovery would need: each until its requests have ended and its
 * charges are booked, and all older ones likewise. Used by the writer and by the settler.
 */
final class Shelf {
  private final Map<Long, Volume> byId = new HashMap<>();
  private final Deque<Volume> inOrder = new ArrayDeque<>();
  private long nextId;

  private static final class Volume {
    private final long id;
    private boolean sealed;
    private long running;
    private long unbooked;

    Volume(long id) {
      this.id = id;
    }

    boolean isDone() {
      return sealed && running == 0 && unbooked == 0;
    }
  }

  synchronized void add(long id) {
    Volume volume = new Volume(id);
    byId.put(id, volume);
    inOrder.addLast(volume);
    nextId = id + 1;
  }

  /** The oldest that recovery would need. */
  synchronized long neededFrom() {
    Volume oldest = inOrder.peekFirst();
    return oldest == null ? nextId : oldest.id;
  }

  /** Nothing more is written to it. */
  synchronized void seal(long id) {
    volume(id).sealed = true;
  }

  /** A reservation stands in it. */
  synchronized void began(long id) {
    volume(id).running++;
  }

  /** Requests whose reservations stand in these segments ended, for good. */
  synchronized void ended(List<Long> ids) {
    ids.forEach(id -> volume(id).running--);
  }

  synchronized void charged(long id, int charges) {
    volume(id).unbooked += charges;
  }

  synchronized void booked(List<Long> ids) {
    ids.forEach(id -> volume(id).unbooked--);
  }

  /** Whether there is a segment before {@code end} that nothing needs any more. */
  synchronized boolean hasDone(long end) {
    Volume oldest = inOrder.peekFirst();
    return oldest != null && oldest.id < end && oldest.isDone();
  }

  /** Takes them off, oldest first. */
  synchronized List<Long> takeDone(long end) {
    List<Long> done = new ArrayList<>();
    while (hasDone(end)) {
      Volume oldest = inOrder.removeFirst();
      byId.remove(oldest.id);
      done.add(oldest.id);
    }
    return done;
  }

  private Volume volume(long id) {
    Volume volume = byId.get(id);
    if (volume == null) {
      throw new IllegalStateException("segment " + id + " is gone");
    }
    return volume;
  }
}
