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
 * Cache of API keys whose requests rate limits will refuse until a known time, so that they are
 * refused from their headers alone. The cache is a direct-mapped table of fixed size: of two keys
 * with the same index, the later replaces the earlier, whose next request is then counted. Safe on
 * all event loops, because each entry is one reference to an immutable object.
 *
 * <p>Only refusals that no other request can change are cached: those of an empty bucket of
 * requests, but not of tokens, whose estimate depends on the body, nor of slots, which may be free
 * at any moment.
 */
public final class RefusalCache {
  private static final int KEYS = 4096;

  /** Longest time for which a refusal is cached; bounds by how much its Retry-After is too long. */
  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final AtomicReferenceArray<@Nullable Known> entries = new AtomicReferenceArray<>(KEYS);

  /**
   * Fault and header fields of a refusal.
   *
   * @param fields the {@code x-ratelimit-*} fields of the key
   */
  public record CachedRefusal(Fault fault, List<FieldLines> fields) {
    public CachedRefusal {
      fields = List.copyOf(fields);
    }
  }

  private record Known(
      KeyId key, KeyLimits own, LimitRules rules, CachedRefusal refusal, long untilNanos) {
    /** True if the entry is for this key and these limits. A reload makes a new object of rules. */
    @SuppressWarnings("ReferenceEquality") // equals would compare maps for each request
    boolean isOf(ApiKey asked, LimitRules now) {
      return rules == now && key.equals(asked.id()) && own.equals(asked.limits());
    }
  }

  /**
   * Caches a refusal of {@code key} until {@code untilNanos}, valid while its limits are unchanged.
   */
  public void remember(
      ApiKey key, LimitRules rules, CachedRefusal refusal, long nowNanos, long untilNanos) {
    long nanos = Math.min(untilNanos - nowNanos, NANOS_MAX);
    if (nanos > 0) {
      entries.set(
          index(key.id()), new Known(key.id(), key.limits(), rules, refusal, nowNanos + nanos));
    }
  }

  /** Returns the cached refusal of a key; null if its request must be counted. */
  public @Nullable CachedRefusal find(ApiKey key, LimitRules rules, long nowNanos) {
    Known known = entries.get(index(key.id()));
    boolean valid = known != null && known.untilNanos - nowNanos > 0 && known.isOf(key, rules);
    return valid ? known.refusal : null;
  }

  /** Returns the capacity in keys. */
  public int size() {
    return entries.length();
  }

  private static int index(KeyId key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & (KEYS - 1);
  }
}
