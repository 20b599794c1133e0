package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys of which it is known that a request would be refused until a time, so that the next ones are
 * refused on their heads. It holds a fixed number of keys: one that needs another's place takes it,
 * which costs that key's next request a look at its buckets. On all loops at once: each place is
 * one reference to an immutable.
 *
 * <p>Only for what no other request can change: a bucket of requests that is empty, and neither
 * tokens, whose estimate the body decides, nor slots, which may be free at any moment.
 */
public final class RefusalCache {
  private static final int KEYS = 4096;

  /** What a client is told to wait is never more than this too long. */
  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final AtomicReferenceArray<@Nullable Known> entries = new AtomicReferenceArray<>(KEYS);

  /**
   * What a refused request is told.
   *
   * @param fields how the key's limits stand
   */
  public record CachedRefusal(Fault fault, List<FieldLines> fields) {
    public CachedRefusal {
      fields = List.copyOf(fields);
    }
  }

  private record Known(
      KeyId key, KeyLimits own, LimitRules rules, CachedRefusal refusal, long untilNanos) {
    /** Changed limits end what was known. A reload makes rules anew. */
    @SuppressWarnings("ReferenceEquality") // they hold maps, and this is asked for each request
    boolean isOf(ApiKey asked, LimitRules now) {
      return rules == now && key.equals(asked.id()) && own.equals(asked.limits());
    }
  }

  /**
   * Nothing of {@code key} is let in before {@code untilNanos}, as long as its limits are these.
   */
  public void remember(
      ApiKey key, LimitRules rules, CachedRefusal refusal, long nowNanos, long untilNanos) {
    long nanos = Math.min(untilNanos - nowNanos, NANOS_MAX);
    if (nanos > 0) {
      entries.set(
          index(key.id()), new Known(key.id(), key.limits(), rules, refusal, nowNanos + nanos));
    }
  }

  /** What is known of the key, or null where its buckets must be looked at. */
  public @Nullable CachedRefusal find(ApiKey key, LimitRules rules, long nowNanos) {
    Known known = entries.get(index(key.id()));
    boolean valid = known != null && known.untilNanos - nowNanos > 0 && known.isOf(key, rules);
    return valid ? known.refusal : null;
  }

  /** Keys that it can hold at most. */
  public int size() {
    return entries.length();
  }

  private static int index(KeyId key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & (KEYS - 1);
  }
}
