package dev.tollgate.core.limit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys of which it is known that a request would be refused until a time, so that the next ones are
 * refused on their heads. It holds a fixed number of keys: one that needs another's place takes it,
 * which costs that key's next request a look at its buckets. On all loops at once.
 *
 * <p>Only for what no other request can change: a bucket of requests that is empty, and neither
 * tokens, whose estimate the body decides, nor slots, which may be free at any moment.
 */
public final class RefusalCache {
  private static final int KEYS = 4096;

  /** Limits that were raised act at the latest after this. */
  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final AtomicReferenceArray<@Nullable Known> places = new AtomicReferenceArray<>(KEYS);

  private record Known(KeyId key, Fault fault, long untilNanos) {}

  /**
   * Nothing of {@code key} is let in before {@code untilNanos}.
   *
   * @param fault what its requests are told, with the seconds to wait from now on
   */
  public void remember(KeyId key, Fault fault, long nowNanos, long untilNanos) {
    long nanos = Math.min(untilNanos - nowNanos, NANOS_MAX);
    if (nanos > 0) {
      places.set(place(key), new Known(key, fault, nowNanos + nanos));
    }
  }

  /** What is known of the key, or null where its buckets must be looked at. */
  public @Nullable Fault find(KeyId key, long nowNanos) {
    Known known = places.get(place(key));
    boolean holds = known != null && known.untilNanos - nowNanos > 0 && known.key.equals(key);
    return holds ? known.fault : null;
  }

  /** The key's limits changed. */
  public void forget(KeyId key) {
    places.set(place(key), null);
  }

  /** Keys that it can hold at most. */
  public int size() {
    return places.length();
  }

  private static int place(KeyId key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & (KEYS - 1);
  }
}
