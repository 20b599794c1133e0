package dev.tollgate.core.exchange.frame;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Process-wide budget of bytes that requests hold in memory ({@code server.max_inflight_bytes}):
 * request bodies by capacity, collected replies, partial events. An array counts with the heap that
 * it occupies. Thread-safe.
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
   * A budget on a heap of regions, where an array of more than half a region occupies whole
   * regions: the rest of the last one is unusable.
   *
   * @param regionBytes 0 if the heap has no regions
   */
  public InflightBytes(long bytesMax, int regionBytes) {
    this.bytesMax = bytesMax;
    this.regionBytes = regionBytes;
  }

  public long bytesMax() {
    return bytesMax;
  }

  /** Returns the number of bytes that are held now. */
  public long held() {
    return held.get();
  }

  /** Returns a permit for {@code bytes}; empty if the budget has no room. */
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

  /** Bytes acquired from the budget. It has one owner at a time and is ended exactly once. */
  public final class Permit {
    private long bytes;
    private boolean ended;

    private Permit(long bytes) {
      this.bytes = bytes;
    }

    /** Grows or shrinks to {@code total} bytes. Returns false if the budget has no room. */
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
