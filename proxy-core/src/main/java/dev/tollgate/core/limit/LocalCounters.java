package dev.tollgate.core.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.LocalBuckets.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Counters of one process. Shared by all loops: a draw sees and takes all or nothing, so that one
 * that is refused is never felt by another.
 */
public final class LocalCounters implements Counters {
  // Above a minute, so that a bucket that goes was full, unless it owed more than nine minutes.
  private static final Duration IDLE_MAX = Duration.ofMinutes(10);
  // No request uses more; what a provider may report is no number to do arithmetic with.
  private static final long TOKENS_MAX = Bucket.CAPACITY_MAX;

  private final Cache<Owner, LocalBuckets> buckets;
  private final Slots slots = new Slots();
  private final LongSupplier nanos;

  /**
   * @param nanos a monotonic clock
   * @param bucketsMax buckets that are remembered; beyond it the one unused for longest begins anew
   */
  public LocalCounters(LongSupplier nanos, int bucketsMax) {
    this.nanos = nanos;
    this.buckets =
        Caffeine.newBuilder()
            .maximumWeight(bucketsMax)
            .weigher((Owner owner, LocalBuckets _) -> mostOf(owner.scope()))
            .expireAfterAccess(IDLE_MAX)
            .ticker(nanos::getAsLong)
            .evictionListener((_, gone, _) -> Objects.requireNonNull(gone).forget())
            .executor(Runnable::run)
            .build();
  }

  /** Buckets that an owner can have. */
  private static int mostOf(Scope scope) {
    return switch (scope) {
      case KEY -> 3;
      case ORGANIZATION, MODEL, GLOBAL -> 2;
    };
  }

  @Override
  public void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    answer.accept(taken(draw));
  }

  private Drawn taken(Draw draw) {
    long now = now();
    Level[] levels = new Level[draw.buckets().size()];
    return switch (share(draw.of(), now).take(draw, slots, now, levels)) {
      case GRANTED -> new Drawn.Taken(List.of(levels));
      case REFUSED -> new Drawn.Refused(List.of(levels), slots.hasFree(draw.slot()));
    };
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    slots.free(draw.slot());
    if (draw.of().tokens() != null) {
      long now = now();
      share(draw.of(), now).correct(draw, Math.clamp(tokensUsed, 0, TOKENS_MAX), now);
    }
  }

  private LocalShare share(Allotment of, long nowNanos) {
    LocalShare known = of.share();
    if (known != null && known.holds(this, nowNanos)) {
      return known;
    }
    LocalShare found = new LocalShare(this, of.buckets(), this::of, nowNanos);
    of.share(found);
    return found;
  }

  private LocalBuckets of(Owner owner) {
    return buckets.get(owner, _ -> new LocalBuckets());
  }

  /** Whole microseconds: the resolution in which all nodes count. */
  private long now() {
    return Math.floorDiv(nanos.getAsLong(), 1_000) * 1_000;
  }

  // Figures, from any thread

  /** Slots of all keys that are taken. */
  public int slotsInUse() {
    return slots.inUse();
  }

  /** Buckets that are remembered. Forgets idle ones first: not to be called on a loop. */
  public long bucketsHeld() {
    buckets.cleanUp();
    return buckets.asMap().values().stream().mapToLong(LocalBuckets::count).sum();
  }
}
