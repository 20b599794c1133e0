package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.ProviderId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Quota of upstream streams that are read to their end after the client disconnected: a share of
 * each provider's open streams (docs/decisions/disconnects.md#drain). Shared by all loops.
 */
public final class DrainQuota {
  private final Map<ProviderId, Counts> counts = new ConcurrentHashMap<>();

  /** Counts a stream that opened. */
  public OpenStream opened(Provider provider) {
    return new OpenStream(counts.computeIfAbsent(provider.id(), id -> new Counts()));
  }

  private static final class Counts {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger draining = new AtomicInteger();
  }

  /** One open stream, ended exactly once. */
  public static final class OpenStream {
    private final Counts counts;
    private boolean draining;

    private OpenStream(Counts counts) {
      this.counts = counts;
      counts.open.incrementAndGet();
    }

    /** True if this stream may be drained; one stream per provider always may. */
    public boolean tryDrain(double share) {
      int allowed = Math.max(1, (int) (counts.open.get() * share));
      if (counts.draining.incrementAndGet() > allowed) {
        counts.draining.decrementAndGet();
        return false;
      }
      draining = true;
      return true;
    }

    public void end() {
      counts.open.decrementAndGet();
      if (draining) {
        counts.draining.decrementAndGet();
      }
    }
  }
}
