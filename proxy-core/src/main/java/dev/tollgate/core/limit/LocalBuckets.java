package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import io.github.bucket4j.TimeMeter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The running buckets of one key, organization or model, by what they count: a draw takes of most
 * of them, so that they are looked up together. Shared by all loops; a bucket that is made stays.
 */
final class LocalBuckets {
  private final AtomicReference<@Nullable LocalBucket> perSecond = new AtomicReference<>();
  private final AtomicReference<@Nullable LocalBucket> perMinute = new AtomicReference<>();
  private final AtomicReference<@Nullable LocalBucket> tokens = new AtomicReference<>();

  /** Whose they are. */
  record Owner(Scope scope, String id) {
    static Owner of(Bucket rule) {
      return new Owner(rule.scope(), rule.id());
    }

    boolean has(Bucket rule) {
      return scope == rule.scope() && id.equals(rule.id());
    }
  }

  /** The one that the rule names, full where there is none yet. */
  LocalBucket get(Bucket rule, TimeMeter clock) {
    AtomicReference<@Nullable LocalBucket> place = place(rule.unit());
    LocalBucket known = place.get();
    if (known != null) {
      return known;
    }
    var made = new LocalBucket(rule, clock);
    return place.compareAndSet(null, made) ? made : Objects.requireNonNull(place.get());
  }

  private AtomicReference<@Nullable LocalBucket> place(Unit unit) {
    return switch (unit) {
      case REQUESTS_PER_SECOND -> perSecond;
      case REQUESTS_PER_MINUTE -> perMinute;
      case TOKENS_PER_MINUTE -> tokens;
    };
  }

  long count() {
    return Stream.of(perSecond, perMinute, tokens).filter(place -> place.get() != null).count();
  }
}
