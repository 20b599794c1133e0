package dev.tollgate.core.exchange.frame;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The process-wide budget of bytes that requests hold in memory ({@code
 * server.max_inflight_bytes}): request bodies by capacity, collected replies, partial events. What
 * counts is what an array of so many bytes takes of the heap.
 */
public final class InflightBytes {
  private static final int HEADER_BYTES = 16;

  private final long bytesMax;
  private final int regionBytes;
  private final AtomicLong held = new AtomicLong();

  public InflightBytes(long bytesMax) {
    this(bytesMax, 0);
  }

  /**
   * A budget on a heap of regions, where an array of more than half a region has whole ones for
   * itself: what is left of them nobody else can use.
   *
   * @param regionBytes 0 where the heap has no regions
   */
  public InflightBytes(long bytesMax, int regionBytes) {
    this.bytesMax = bytesMax;
    this.regionBytes = regionBytes;
  }

  public long bytesMax() {
    return bytesMax;
  }

  /** Bytes held now. */
  public long held() {
    return held.get();
  }

  /** A permit for {@code bytes}, or empty where the budget has no room. */
  public Optional<Permit> tryAcquire(long bytes) {
    long taken = taken(bytes);
    return tryAdd(taken) ? Optional.of(new Permit(taken)) : Optional.empty();
  }

  private long taken(long bytes) {
    long whole = bytes + HEADER_BYTES;
    return 2 * whole > regionBytes && regionBytes > 0
        ? Math.ceilDiv(whole, regionBytes) * regionBytes
        : bytes;
  }

  private boolean tryAdd(long bytes) {
    while (true) {
      long now = held.get();
      if (now + bytes > bytesMax) {
        return false;
      }
      if (held.compareAndSet(now, now + bytes)) {
        return true;
      }
    }
  }

  /** Bytes taken from the budget, owned by one at a time, given back exactly once. */
  public final class Permit {
    private long bytes;
    private boolean ended;

    private Permit(long bytes) {
      this.bytes = bytes;
    }

    /** Grows (or shrinks) to {@code total} bytes; false where the budget has no room. */
    public boolean resize(long total) {
      assert !ended;
      long taken = taken(total);
      if (taken > bytes && !tryAdd(taken - bytes)) {
        return false;
      }
      if (taken < bytes) {
        held.addAndGet(taken - bytes);
      }
      bytes = taken;
      return true;
    }

    public void end() {
      assert !ended;
      ended = true;
      held.addAndGet(-bytes);
    }
  }
}
