package dev.tollgate.core.exchange;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The process-wide budget of bytes that requests hold in memory ({@code
 * server.max_inflight_bytes}): request bodies by capacity, collected replies, partial events.
 */
public final class InflightBytes {
  private final long bytesMax;
  private final AtomicLong held = new AtomicLong();

  public InflightBytes(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Bytes held now. */
  public long held() {
    return held.get();
  }

  /** A permit for {@code bytes}, or empty where the budget has no room. */
  public Optional<Permit> tryAcquire(long bytes) {
    return tryAdd(bytes) ? Optional.of(new Permit(bytes)) : Optional.empty();
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

  /** Bytes taken from the budget, owned by one request on one loop, given back exactly once. */
  public final class Permit {
    private long bytes;
    private boolean ended;

    private Permit(long bytes) {
      this.bytes = bytes;
    }

    /** Grows (or shrinks) to {@code total} bytes; false where the budget has no room. */
    public boolean resize(long total) {
      assert !ended;
      if (total > bytes && !tryAdd(total - bytes)) {
        return false;
      }
      if (total < bytes) {
        held.addAndGet(total - bytes);
      }
      bytes = total;
      return true;
    }

    public void end() {
      assert !ended;
      ended = true;
      held.addAndGet(-bytes);
    }
  }
}
