package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.id.ProviderId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

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

  /** Returns the figures of all providers, from any thread. */
  public Map<ProviderId, Figures> figures() {
    return counts.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().figures()));
  }

  /**
   * Figures of one provider.
   *
   * @param draining streams that are drained at present
   * @param drained streams that were given a place since the start
   * @param refused streams that were cut because the quota had no room
   */
  public record Figures(int draining, long drained, long refused) {}

  private static final class Counts {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger draining = new AtomicInteger();
    private final LongAdder drained = new LongAdder();
    private final LongAdder refused = new LongAdder();

    private Figures figures() {
      return new Figures(draining.get(), drained.sum(), refused.sum());
    }
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
        counts.refused.increment();
        return false;
      }
      counts.drained.increment();
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
