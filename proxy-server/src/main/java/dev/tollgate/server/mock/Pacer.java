package dev.tollgate.server.mock;

import io.netty.channel.EventLoop;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the paced replies of one event loop: a wheel of one-millisecond slots with one timer for
 * all, so that ten thousand streams cost a timer per millisecond and not one per event. Nothing is
 * woken early.
 */
final class Pacer {
  private static final long TICK_NANOS = 1_000_000;
  private static final int SLOTS = 1024;

  private final EventLoop loop;
  private final Ring[] slots = new Ring[SLOTS];
  private final BitSet occupied = new BitSet(SLOTS);
  private long firedTick = System.nanoTime() / TICK_NANOS;
  private long timerTick = Long.MAX_VALUE;

  Pacer(EventLoop loop) {
    this.loop = loop;
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Ring();
    }
  }

  /** Something that sleeps in a slot; a link of the slot's ring. */
  abstract static class Sleeper {
    @Nullable Sleeper before;
    @Nullable Sleeper behind;
    private long dueTick;

    abstract void wake();

    private void linkInto(Ring ring) {
      Sleeper last = Objects.requireNonNull(ring.before);
      before = last;
      behind = ring;
      last.behind = this;
      ring.before = this;
    }

    private void unlink() {
      if (before != null && behind != null) {
        before.behind = behind;
        behind.before = before;
      }
      before = null;
      behind = null;
    }

    /** The next of the slot; null behind the last. */
    @Nullable Sleeper next() {
      return behind instanceof Ring ? null : behind;
    }
  }

  /** The head of a slot's list, linked in a ring; it never sleeps itself. */
  private static final class Ring extends Sleeper {
    Ring() {
      before = this;
      behind = this;
    }

    @Override
    void wake() {
      throw new IllegalStateException("a ring does not sleep");
    }
  }

  /** Wakes the sleeper at this time of {@link System#nanoTime} or up to a tick later. */
  void wakeAt(long atNanos, Sleeper sleeper) {
    assert loop.inEventLoop();
    sleeper.unlink();
    sleeper.dueTick = Math.max(firedTick + 1, Math.ceilDiv(atNanos, TICK_NANOS));
    link(sleeper);
    if (sleeper.dueTick < timerTick) {
      setTimer(sleeper.dueTick);
    }
  }

  /** Lets it sleep no more. */
  void forget(Sleeper sleeper) {
    assert loop.inEventLoop();
    sleeper.unlink();
  }

  private void link(Sleeper sleeper) {
    int slot = slotOf(sleeper.dueTick);
    sleeper.linkInto(slots[slot]);
    occupied.set(slot);
  }

  private void setTimer(long tick) {
    timerTick = tick;
    long delayNanos = Math.max(0, tick * TICK_NANOS - System.nanoTime());
    var _ = loop.schedule(() -> fire(tick), delayNanos, TimeUnit.NANOSECONDS);
  }

  private void fire(long ofTick) {
    if (ofTick != timerTick) {
      return; // an earlier timer took its place
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

  /** Wakes who is due; those of a later turn of the wheel stay. */
  private void fireSlot(int slot, long nowTick) {
    Ring ring = slots[slot];
    Ring due = new Ring();
    Sleeper next = ring.next();
    while (next != null) {
      Sleeper each = next;
      next = each.next();
      if (each.dueTick <= nowTick) {
        each.unlink();
        each.linkInto(due);
      }
    }
    occupied.set(slot, ring.next() != null);
    for (Sleeper each = due.next(); each != null; each = due.next()) {
      each.unlink();
      each.wake();
    }
  }

  /** The next tick whose slot is occupied; it may hold sleepers of a later turn only. */
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
