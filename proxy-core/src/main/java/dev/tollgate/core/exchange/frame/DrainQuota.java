package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.ProviderId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts each provider's open streams and those that are read on without a client, so that at most
 * a share of them is (docs/decisions/disconnects.md#drain). Shared by all loops.
 */
public final class DrainQuota {
  private final Map<ProviderId, Counts> counts = new ConcurrentHashMap<>();

  /** A stream opened; its place ends with it. */
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

    /** Whether this stream may be read on; at least one may, however few are open. */
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
