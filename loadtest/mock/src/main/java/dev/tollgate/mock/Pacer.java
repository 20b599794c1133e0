package dev.tollgate.mock;

import io.netty.channel.EventLoop;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Timer wheel for the paced replies of one event loop, with slots of one millisecond and one loop
 * timer for all. Ten thousand streams cost one timer per millisecond instead of one per event. No
 * task runs early.
 */
final class Pacer {
  private static final long TICK_NANOS = 1_000_000;
  private static final int SLOTS = 1024;

  private final EventLoop loop;
  private final Bucket[] slots = new Bucket[SLOTS];
  private final BitSet occupied = new BitSet(SLOTS);
  private long firedTick = System.nanoTime() / TICK_NANOS;
  private long timerTick = Long.MAX_VALUE;

  Pacer(EventLoop loop) {
    this.loop = loop;
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Bucket();
    }
  }

  /** Task that the pacer runs at its time; an element of its slot's linked ring. */
  abstract static class PacedTask {
    @Nullable PacedTask previousTask;
    @Nullable PacedTask nextTask;
    private long dueTick;

    abstract void run();

    private void linkInto(Bucket bucket) {
      PacedTask last = Objects.requireNonNull(bucket.previousTask);
      previousTask = last;
      nextTask = bucket;
      last.nextTask = this;
      bucket.previousTask = this;
    }

    private void unlink() {
      if (previousTask != null && nextTask != null) {
        previousTask.nextTask = nextTask;
        nextTask.previousTask = previousTask;
      }
      previousTask = null;
      nextTask = null;
    }

    /** Returns the next task of the slot; null after the last. */
    @Nullable PacedTask next() {
      return nextTask instanceof Bucket ? null : nextTask;
    }
  }

  /** Head of a slot's ring; not a task itself. */
  private static final class Bucket extends PacedTask {
    Bucket() {
      previousTask = this;
      nextTask = this;
    }

    @Override
    void run() {
      throw new IllegalStateException("the head of a ring is not a task");
    }
  }

  /** Runs the task at this time of {@link System#nanoTime} or up to a tick later. */
  void schedule(long atNanos, PacedTask task) {
    assert loop.inEventLoop();
    task.unlink();
    task.dueTick = Math.max(firedTick + 1, Math.ceilDiv(atNanos, TICK_NANOS));
    link(task);
    if (task.dueTick < timerTick) {
      setTimer(task.dueTick);
    }
  }

  /** Cancels a task, if it is scheduled. */
  void cancel(PacedTask task) {
    assert loop.inEventLoop();
    task.unlink();
  }

  private void link(PacedTask task) {
    int slot = slotOf(task.dueTick);
    task.linkInto(slots[slot]);
    occupied.set(slot);
  }

  private void setTimer(long tick) {
    timerTick = tick;
    long delayNanos = Math.max(0, tick * TICK_NANOS - System.nanoTime());
    var _ = loop.schedule(() -> fire(tick), delayNanos, TimeUnit.NANOSECONDS);
  }

  private void fire(long ofTick) {
    if (ofTick != timerTick) {
      return; // an earlier timer has replaced this one
    }
    timerTick = Long.MAX_VALUE;
    long nowTick = System.nanoTime() / TICK_NANOS;
    long from = Math.max(firedTick + 1, nowTick - SLOTS + 1);
    firedTick = nowTick;
    for (long tick = from; tick <= nowTick; tick++) {
      if (occupied.get(slotOf(tick))) {
        fireSlot(slotOf(tick), nowTick);
      }
    }
    long next = nextTick();
    if (next < timerTick) {
      setTimer(next);
    }
  }

  /** Runs the due tasks; tasks of a later rotation of the wheel stay. */
  private void fireSlot(int slot, long nowTick) {
    Bucket bucket = slots[slot];
    Bucket due = new Bucket();
    PacedTask next = bucket.next();
    while (next != null) {
      PacedTask each = next;
      next = each.next();
      if (each.dueTick <= nowTick) {
        each.unlink();
        each.linkInto(due);
      }
    }
    occupied.set(slot, bucket.next() != null);
    for (PacedTask each = due.next(); each != null; each = due.next()) {
      each.unlink();
      each.run();
    }
  }

  /** Returns the next tick whose slot is occupied, perhaps only with tasks of a later rotation. */
  private long nextTick() {
    if (occupied.isEmpty()) {
      return Long.MAX_VALUE;
    }
    int from = slotOf(firedTick + 1);
    int slot = occupied.nextSetBit(from);
    int steps = slot >= 0 ? slot - from : SLOTS - from + occupied.nextSetBit(0);
    return firedTick + 1 + steps;
  }

  private static int slotOf(long tick) {
    return (int) (tick & (SLOTS - 1));
  }
}
