package dev.tollgate.server.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Set of this epoch's journal segments that a recovery would need. It needs each one until its
 * requests have ended and its charges are settled, and so are those of all older segments. Shared
 * by the writer and the settler.
 */
final class LiveSegments {
  private final Map<Long, SegmentState> byId = new HashMap<>();
  private final Deque<SegmentState> inOrder = new ArrayDeque<>();
  private long nextId;

  private static final class SegmentState {
    private final long id;
    private boolean sealed;
    private long running;
    private long unsettled;

    SegmentState(long id) {
      this.id = id;
    }

    boolean isRetirable() {
      return sealed && running == 0 && unsettled == 0;
    }
  }

  synchronized void add(long id) {
    SegmentState segment = new SegmentState(id);
    byId.put(id, segment);
    inOrder.addLast(segment);
    nextId = id + 1;
  }

  /** Returns the oldest segment that recovery would need. */
  synchronized long neededFrom() {
    SegmentState oldest = inOrder.peekFirst();
    return oldest == null ? nextId : oldest.id;
  }

  /** Marks a segment as complete. */
  synchronized void seal(long id) {
    segment(id).sealed = true;
  }

  /** Counts a reservation in a segment. */
  synchronized void reservationBegan(long id) {
    segment(id).running++;
  }

  /** Removes reservations in these segments that ended durably. */
  synchronized void ended(List<Long> ids) {
    ids.forEach(id -> segment(id).running--);
  }

  synchronized void charged(long id, int charges) {
    segment(id).unsettled += charges;
  }

  synchronized void settled(List<Long> ids) {
    ids.forEach(id -> segment(id).unsettled--);
  }

  /** True if recovery no longer needs the oldest segment and it lies before {@code end}. */
  synchronized boolean hasRetirable(long end) {
    SegmentState oldest = inOrder.peekFirst();
    return oldest != null && oldest.id < end && oldest.isRetirable();
  }

  /**
   * Removes and returns the segments before {@code end} that recovery no longer needs, oldest
   * first.
   */
  synchronized List<Long> takeRetirable(long end) {
    List<Long> retirable = new ArrayList<>();
    while (hasRetirable(end)) {
      SegmentState oldest = inOrder.removeFirst();
      byId.remove(oldest.id);
      retirable.add(oldest.id);
    }
    return retirable;
  }

  private SegmentState segment(long id) {
    SegmentState segment = byId.get(id);
    if (segment == null) {
      throw new IllegalStateException("segment " + id + " is not live");
    }
    return segment;
  }
}
