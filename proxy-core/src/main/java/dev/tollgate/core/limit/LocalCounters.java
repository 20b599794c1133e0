package dev.tollgate.core.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn.Level;
import dev.tollgate.core.limit.LocalBuckets.Owner;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counters of one process. Shared by all loops, without locks: buckets are taken from one after the
 * other, and what was taken is put back when a later one refuses. In that instant, less than a
 * microsecond, another draw may find a bucket lower by what this loop is about to put back. It errs
 * on the safe side: it can be refused when within one draw per loop of the limit, and never be
 * admitted above it.
 */
public final class LocalCounters implements Counters {
  // Above a minute, so that a bucket that goes was full, unless it owed more than nine minutes.
  private static final Duration IDLE_MAX = Duration.ofMinutes(10);
  // No request uses more; what a provider may report is no number to do arithmetic with.
  private static final long TOKENS_MAX = Bucket.CAPACITY_MAX;

  private final Cache<Owner, LocalBuckets> buckets;
  private final Slots slots = new Slots();
  private final TimeMeter clock;

  /**
   * @param nanos a monotonic clock
   * @param bucketsMax buckets that are remembered; beyond it the one unused for longest begins anew
   */
  public LocalCounters(LongSupplier nanos, int bucketsMax) {
    this.clock = new MicroMeter(nanos);
    this.buckets =
        Caffeine.newBuilder()
            .maximumWeight(bucketsMax)
            .weigher((Owner owner, LocalBuckets _) -> mostOf(owner.scope()))
            .expireAfterAccess(IDLE_MAX)
            .ticker(nanos::getAsLong)
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

  /** Whole microseconds: the resolution in which all nodes count. */
  private record MicroMeter(LongSupplier nanos) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
      return Math.floorDiv(nanos.getAsLong(), 1_000) * 1_000;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }

  @Override
  public void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    answer.accept(taken(draw));
  }

  private Drawn taken(Draw draw) {
    List<Take> takes = draw.takes();
    List<LocalBucket> its = sized(takes);
    List<Level> levels = new ArrayList<>(its.size());
    for (int n = 0; n < its.size(); n++) {
      switch (its.get(n).take(takes.get(n).amount())) {
        case LocalBucket.Taking.Had had -> levels.add(had.level());
        case LocalBucket.Taking.Lacked lacked -> {
          putBack(takes, its, n);
          levels.clear();
          levels.addAll(levels(takes, its));
          levels.set(n, lacked.level()); // it may have filled since, but this is what refused
          return new Drawn.Refused(levels, slots.hasFree(draw.slot()));
        }
      }
    }
    return switch (slots.ask(draw.slot())) {
      case GRANTED -> new Drawn.Taken(levels);
      case REFUSED -> {
        putBack(takes, its, its.size());
        yield new Drawn.Refused(levels(takes, its), false);
      }
    };
  }

  private static void putBack(List<Take> takes, List<LocalBucket> its, int count) {
    for (int n = 0; n < count; n++) {
      if (takes.get(n).amount() > 0) {
        its.get(n).refund(takes.get(n).amount());
      }
    }
  }

  private static List<Level> levels(List<Take> takes, List<LocalBucket> its) {
    List<Level> levels = new ArrayList<>(its.size());
    for (int n = 0; n < its.size(); n++) {
      levels.add(its.get(n).level(takes.get(n).amount()));
    }
    return levels;
  }

  /** The running buckets, each with the capacity of now. */
  private List<LocalBucket> sized(List<Take> takes) {
    List<LocalBucket> sized = new ArrayList<>(takes.size());
    @Nullable Owner owner = null;
    @Nullable LocalBuckets its = null;
    for (Take take : takes) {
      Bucket rule = take.bucket();
      if (owner == null || its == null || !owner.has(rule)) { // an owner's stand together
        owner = Owner.of(rule);
        its = of(owner);
      }
      LocalBucket bucket = its.get(rule, clock);
      bucket.resize(rule.capacity());
      sized.add(bucket);
    }
    return sized;
  }

  private LocalBuckets of(Owner owner) {
    LocalBuckets known = buckets.getIfPresent(owner);
    return known != null ? known : buckets.get(owner, _ -> new LocalBuckets());
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    slots.free(draw.slot());
    for (Take take : draw.takes()) {
      switch (take.bucket().unit()) {
        case REQUESTS_PER_SECOND, REQUESTS_PER_MINUTE -> {}
        case TOKENS_PER_MINUTE -> correct(take, Math.clamp(tokensUsed, 0, TOKENS_MAX));
      }
    }
  }

  /** Not resized: the limit may have changed while the request ran. */
  private void correct(Take take, long used) {
    LocalBucket bucket = of(Owner.of(take.bucket())).get(take.bucket(), clock);
    if (used > take.amount()) {
      bucket.overrun(used - take.amount());
    } else if (used < take.amount()) {
      bucket.refund(take.amount() - used);
    }
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
