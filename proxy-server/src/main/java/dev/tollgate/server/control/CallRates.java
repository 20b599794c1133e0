package dev.tollgate.server.control;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Rate limits of calls on this node, as token buckets in memory: one for each principal, and one
 * for each address without a valid session. Thread-safe.
 */
final class CallRates {
  /** Largest number of buckets of each kind; of more, the one unused for longest is forgotten. */
  static final int BUCKETS_MAX = 10_000;

  private static final int ADDRESS_PER_SECOND = 10;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double SECONDS_PER_MINUTE = 60;

  private final LongSupplier nanoTime;
  private final int perSecond;
  private final int perMinute;
  private final Map<String, Bucket> principals = table();
  private final Map<String, Bucket> addresses = table();

  CallRates(int perSecond, int perMinute, LongSupplier nanoTime) {
    this.perSecond = perSecond;
    this.perMinute = perMinute;
    this.nanoTime = nanoTime;
  }

  private static Map<String, Bucket> table() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
        return size() > BUCKETS_MAX;
      }
    };
  }

  /** Counts a call of a principal; returns the seconds until one is allowed, 0 if it is now. */
  synchronized int ofPrincipal(String principal) {
    long now = nanoTime.getAsLong();
    return principals
        .computeIfAbsent(principal, _ -> new Bucket(perSecond, perMinute, now))
        .take(now);
  }

  /** Counts a call of an address without a valid session. */
  synchronized int ofAddress(String address) {
    long now = nanoTime.getAsLong();
    return addresses.computeIfAbsent(address, _ -> addressBucket(now)).take(now);
  }

  /**
   * Returns the seconds until an address may call without a valid session, without counting a call.
   */
  synchronized int waitOfAddress(String address) {
    long now = nanoTime.getAsLong();
    Bucket bucket = addresses.get(address);
    return bucket == null ? 0 : bucket.waitSeconds(now);
  }

  private static Bucket addressBucket(long now) {
    return new Bucket(ADDRESS_PER_SECOND, (int) (ADDRESS_PER_SECOND * SECONDS_PER_MINUTE), now);
  }

  /** Tokens for a second and for a minute. */
  private static final class Bucket {
    private final int perSecond;
    private final int perMinute;
    private double ofSecond;
    private double ofMinute;
    private long atNanos;

    Bucket(int perSecond, int perMinute, long now) {
      this.perSecond = perSecond;
      this.perMinute = perMinute;
      this.ofSecond = perSecond;
      this.ofMinute = perMinute;
      this.atNanos = now;
    }

    int take(long now) {
      int wait = waitSeconds(now);
      if (wait == 0) {
        ofSecond--;
        ofMinute--;
      }
      return wait;
    }

    int waitSeconds(long now) {
      double seconds = (now - atNanos) / NANOS_PER_SECOND;
      atNanos = now;
      ofSecond = Math.min(perSecond, ofSecond + seconds * perSecond);
      ofMinute = Math.min(perMinute, ofMinute + seconds * perMinute / SECONDS_PER_MINUTE);
      double missing =
          Math.max((1 - ofSecond) / perSecond, (1 - ofMinute) * SECONDS_PER_MINUTE / perMinute);
      return missing <= 0 ? 0 : (int) Math.ceil(missing);
    }
  }
}
